// SPDX-License-Identifier: Apache-2.0
//
// copse nodes, drain, undrain, down, up: the nodes of a service's machine.
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "host/clock/local_time.hpp"
#include "text/json_writer.hpp"
#include "text/printable.hpp"
#include "tools/copse/client/client_commands.hpp"
#include "tools/copse/client/request_words.hpp"
#include "tools/copse/client/service_nodes.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

constexpr std::size_t kTableColumns = 80;

struct NodesOptions {
  ClientOptions client;
  std::string nodes, reason;
  bool lines = false, reasons = false;
};

// Names are other than numbers.
bool is_ranks(const std::string& nodes) {
  return nodes.find_first_not_of("0123456789,-") == std::string::npos;
}

// The state of a node in one word.
std::string_view state_of_node(const ServiceNode& node) {
  const auto has = [&](std::string_view state) {
    return std::ranges::find(node.states, state) != node.states.end();
  };
  for (const std::string_view drained : {"draining", "drained"}) {
    if (has(drained)) return drained;
  }
  if (node.status != "up") return "down";
  if (has("allocated")) return has("free") ? "mixed" : "allocated";
  if (has("reserved")) return "reserved";
  return has("free") ? "free" : "down";
}

// A list in lines that begin at column `left`; it is broken only after commas.
std::string in_lines(const std::string& list, std::size_t left) {
  std::string out;
  std::size_t at = left;
  for (std::size_t from = 0; from < list.size();) {
    const std::size_t end = std::min(list.find(',', from), list.size() - 1) + 1;
    if (at > left && at + end - from > kTableColumns) {
      out += '\n' + std::string(left, ' ');
      at = left;
    }
    out.append(list, from, end - from);
    at += end - from;
    from = end;
  }
  return out;
}

std::string table_of_states(const std::vector<ServiceNode>& nodes) {
  std::string out = "STATE      NODES NODELIST\n";
  for (const std::string_view state :
       {"free", "mixed", "allocated", "reserved", "draining", "drained", "down"}) {
    std::vector<std::string> names;
    for (const ServiceNode& node : nodes) {
      if (state_of_node(node) == state) names.push_back(node.name);
    }
    if (names.empty()) continue;
    out += fmt::format("{:<10} {:>5} {}\n", state, names.size(),
                       in_lines(compress_hostlist(names), 17));
  }
  return out;
}

std::string table_of_nodes(const std::vector<ServiceNode>& nodes) {
  constexpr std::size_t kJobsWidthMax = 20;  // longer lists push the path to the right
  std::size_t width = 4, jobs_width = 4;
  for (const ServiceNode& node : nodes) {
    width = std::max(width, node.name.size());
    jobs_width = std::max(jobs_width, std::min(node.jobs.size(), kJobsWidthMax));
  }
  std::string out = fmt::format("{:<{}} {:>6} {:<10} {:<{}} PATH\n", "NAME", width, "RANK", "STATE",
                                "JOBS", jobs_width);
  for (const ServiceNode& node : nodes) {
    out += fmt::format("{:<{}} {:>6} {:<10} {:<{}} {}\n", node.name, width,
                       node.rank < 0 ? "-" : std::to_string(node.rank), state_of_node(node),
                       node.jobs.empty() ? "-" : node.jobs, jobs_width, node.path);
  }
  return out;
}

// Names of the nodes of a word, "node[0-3]" or ranks, in its order. Errors: invalid, limit;
// not_found.
Result<std::vector<ServiceNode>> chosen(const std::vector<ServiceNode>& nodes,
                                        const std::string& word) {
  std::map<std::string_view, const ServiceNode*> known;
  std::vector<std::string> ranks;
  ranks.reserve(nodes.size());
  const bool by_rank = is_ranks(word);
  for (const ServiceNode& node : nodes) {
    known.emplace(by_rank ? ranks.emplace_back(std::to_string(node.rank)) : node.name, &node);
  }
  const auto names = expand_hostlist(by_rank ? '[' + word + ']' : word);
  if (!names) return std::unexpected(names.error());
  std::vector<ServiceNode> out;
  for (const std::string& name : *names) {
    const auto at = known.find(name);
    if (at == known.end()) {
      return fail(ErrorCode::not_found, fmt::format("the machine has no node \"{}\"", name));
    }
    out.push_back(*at->second);
  }
  return out;
}

// A line of JSON for each.
Result<std::string> texts_of(const ServiceClient& service, const std::vector<ServiceNode>& nodes) {
  std::string out;
  for (const ServiceNode& node : nodes) {
    const auto answer = ask_node(service, node.name);
    if (!answer) return std::unexpected(answer.error());
    out += answer->text + '\n';
  }
  return out;
}

// Nodes that are down, except those that requests set down. O(nodes).
std::string other_nodes_down(TreeView answer) {
  const auto down = expand_hostlist(answer.word("down"));
  std::set<std::string> known;
  for (const TreeView one : answer.list("downs")) {
    const auto names = expand_hostlist(one.word("nodes"));
    if (names) known.insert(names->begin(), names->end());
  }
  std::vector<std::string> out;
  for (const std::string& name : down.value_or(std::vector<std::string>())) {
    if (!known.contains(name)) out.push_back(name);
  }
  return compress_hostlist(out);
}

// As sinfo -R.
int show_reasons(TreeView answer) {
  std::string out = fmt::format("{:<20} {:<9} {:<20} NODELIST\n", "REASON", "USER", "TIMESTAMP");
  for (const char* const kind : {"drains", "downs"}) {
    for (const TreeView one : answer.list(kind)) {
      std::string reason(one.word("reason"));
      if (reason.empty()) reason = kind == std::string_view("drains") ? "none" : "is down";
      out += fmt::format("{:<20} {:<9} {:<20} {}\n", reason, shown_user(one.word("by")),
                         local_time_text(one.number("at").value_or(0)), one.word("nodes"));
    }
  }
  if (const std::string down = other_nodes_down(answer); !down.empty()) {
    out += fmt::format("{:<20} {:<9} {:<20} {}\n", "is down", "-", "-", down);
  }
  return write_words(out);
}

int run_nodes(const NodesOptions& o) {
  if (o.reasons) return ask_and_show(o.client, R"({"op": "drains"})", show_reasons);
  const auto service = ServiceClient::of(o.client);
  if (!service) return unusable(service.error());
  auto listed = list_nodes(*service);
  if (!listed) return not_served(listed.error());
  std::string out;
  if (!o.nodes.empty()) {
    auto nodes = chosen(listed->nodes, o.nodes);
    if (!nodes) return unusable(nodes.error());
    listed->nodes = std::move(*nodes);
  }
  if (o.client.json && !o.nodes.empty()) {
    auto texts = texts_of(*service, listed->nodes);
    if (!texts) return not_served(texts.error());
    out = std::move(*texts);
  } else if (o.client.json) {
    for (const std::string& text : listed->texts) out += text + "\n";
  } else {
    out = o.lines || !o.nodes.empty() ? table_of_nodes(listed->nodes)
                                      : table_of_states(listed->nodes);
    out = printable(out, LineEnds::keep);
  }
  return write_text(out);
}

// Of "node[0-3]", of a rack, or of "0-3": names and paths, or numbers.
std::string line_of_change(const NodesOptions& o, const char* op) {
  const bool ranks = is_ranks(o.nodes);
  return object_text([&](JsonWriter& json) {
    json.member("op", op);
    json.member(ranks ? "ranks" : "nodes", o.nodes);
    if (!o.reason.empty()) json.member("reason", o.reason);
  });
}

int run_change(const NodesOptions& o, const char* op) {
  return ask_and_show(o.client, line_of_change(o, op), [](TreeView answer) {
    const std::string_view down = answer.word("down");
    if (!down.empty()) {
      fmt::print(stderr, "copse: still down: {}\n", printable(down, LineEnds::escape));
    }
    return kDone;
  });
}

void add_change(CommandLine& line, const char* op, const std::string& about,
                const std::string& examples, bool has_reason) {
  const auto o = std::make_shared<NodesOptions>();
  CommandLine sub = line.command(op, about, examples, [o, op] { return run_change(*o, op); });
  sub.option("nodes", o->nodes, "names, racks, paths or ranks: node[0-3], rack2, 0-3")
      .unit("NODES")
      .required();
  if (has_reason) {
    sub.option("-r,--reason", o->reason, "the reason, for other users").unit("REASON");
  }
  add_client_options(sub, o->client);
}

}  // namespace

void add_nodes(CommandLine& line) {
  auto o = std::make_shared<NodesOptions>();
  CommandLine sub = line.command("nodes", "Show the nodes of a service's machine, by state",
                                 "Examples:\n"
                                 "  copse nodes\n"
                                 "  copse nodes --long\n"
                                 "  copse nodes node[0-3]\n"
                                 "  copse nodes -R\n"
                                 "  copse nodes --json | jq '.nodes[] | .name'",
                                 [o] { return run_nodes(*o); });
  auto nodes = sub.option("nodes", o->nodes, "only these, one line each: node[0-3], 0-3");
  nodes.unit("NODES");
  sub.flag("-l,--long", o->lines, "print one line per node, with its jobs");
  sub.flag("-R,--list-reasons", o->reasons,
           "print why nodes are drained or down, by which user and since when")
      .excludes(sub.added("--long"))
      .excludes(nodes);
  add_client_options(sub, o->client);
  add_change(line, "drain", "Give no new jobs to nodes; running jobs continue",
             "copse nodes -R shows the reasons.\n"
             "Examples:\n"
             "  copse drain node[0-3] --reason 'new firmware'\n"
             "  copse drain rack2\n"
             "  copse drain 0-3",
             true);
  add_change(line, "undrain", "Give jobs to drained nodes again",
             "Nodes that are down stay down.\n"
             "Examples:\n  copse undrain node[0-3]\n  copse undrain rack2",
             false);
  add_change(line, "down", "Set nodes down: they failed, or are switched off",
             "Jobs on them end after a while (copse serve --down-grace), or are "
             "submitted again (copse submit --requeue).\n"
             "Examples:\n"
             "  copse down node3 --reason 'power supply'\n"
             "  copse down rack2",
             true);
  add_change(line, "up", "Give jobs to nodes that were down again",
             "Nodes that are drained stay drained.\n"
             "Examples:\n  copse up node3\n  copse up rack2",
             false);
}

}  // namespace copse
