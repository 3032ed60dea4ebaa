// SPDX-License-Identifier: Apache-2.0
//
// copse nodes, drain, undrain: the nodes of a service's machine.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/nearest_word.hpp"
#include "text/json_writer.hpp"
#include "text/printable.hpp"
#include "tools/copse/client/client_commands.hpp"
#include "tools/copse/client/service_nodes.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

constexpr std::size_t kNodesMax = 1'000'000, kTableColumns = 80;

struct NodesOptions {
  ClientOptions client;
  std::string nodes;
  bool lines = false;
};

// One word for what a node is.
std::string_view state_of_node(const ServiceNode& node) {
  const auto has = [&](std::string_view state) {
    return std::ranges::find(node.states, state) != node.states.end();
  };
  if (node.status != "up") return has("allocated") ? "draining" : "drained";
  if (has("allocated")) return has("free") ? "mixed" : "allocated";
  if (has("reserved")) return "reserved";
  return has("free") ? "free" : "down";
}

// A list in lines that begin at column `left`; what has no comma is never broken.
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
  std::size_t width = 4;
  for (const ServiceNode& node : nodes) width = std::max(width, node.name.size());
  std::string out = fmt::format("{:<{}} {:>6} {:<10} PATH\n", "NAME", width, "RANK", "STATE");
  for (const ServiceNode& node : nodes) {
    out += fmt::format("{:<{}} {:>6} {:<10} {}\n", node.name, width,
                       node.rank < 0 ? "-" : std::to_string(node.rank), state_of_node(node),
                       node.path);
  }
  return out;
}

int run_nodes(const NodesOptions& o) {
  const auto service = ServiceClient::of(o.client);
  if (!service) return unusable(service.error());
  const auto listed = list_nodes(*service);
  if (!listed) return not_served(listed.error());
  std::string out;
  if (o.client.json) {
    for (const std::string& text : listed->texts) out += text + "\n";
  } else {
    out = o.lines ? table_of_nodes(listed->nodes) : table_of_states(listed->nodes);
    out = printable(out, LineEnds::keep);
  }
  const auto written = write_out({}, out);
  return written ? kDone : unusable(written.error());
}

// Of "node[0-3]", or of "0-3": names that the machine has, and else numbers.
Result<Idset> ranks_of(const ServiceClient& service, const std::string& text) {
  if (text.find_first_not_of("0123456789,-") == text.npos) return Idset::parse(text);
  const auto names = expand_hostlist(text, kNodesMax);
  if (!names) return std::unexpected(names.error());
  const auto listed = list_nodes(service);
  if (!listed) return std::unexpected(listed.error());
  std::map<std::string_view, std::int64_t> ranks;
  for (const ServiceNode& node : listed->nodes) ranks.emplace(node.name, node.rank);
  Idset out;
  for (const std::string& name : *names) {
    const auto at = ranks.find(name);
    if (at == ranks.end()) {
      return fail(ErrorCode::not_found,
                  fmt::format("the machine has no node {}", shown_word(name)));
    }
    if (at->second < 0) {
      return fail(ErrorCode::invalid,
                  fmt::format("node {} has no rank, and is known by none", shown_word(name)));
    }
    out.add(at->second);
  }
  return out;
}

int run_set_status(const NodesOptions& o, const char* op) {
  const auto service = ServiceClient::of(o.client);
  if (!service) return unusable(service.error());
  const auto ranks = ranks_of(*service, o.nodes);
  if (!ranks) return unusable(ranks.error());
  std::string line;
  JsonWriter json(line);
  json.object([&] {
    json.member("op", op);
    json.member("ranks", *ranks);
  });
  const auto answer = service->ask(line);
  if (!answer) return not_served(answer.error());
  return o.client.json ? write_line(answer->text) : kDone;
}

void add_status_change(CommandLine& line, const char* name, const char* op,
                       const std::string& about, const std::string& examples) {
  auto o = std::make_shared<NodesOptions>();
  CommandLine sub = line.command(name, about, examples, [o, op] { return run_set_status(*o, op); });
  sub.option("nodes", o->nodes, "names or ranks: node[0-3], or 0-3").unit("NODES").required();
  add_client_options(sub, o->client);
}

}  // namespace

void add_nodes(CommandLine& line) {
  auto o = std::make_shared<NodesOptions>();
  CommandLine sub = line.command("nodes", "Show the nodes of a service's machine, by state",
                                 "Examples:\n"
                                 "  copse nodes\n"
                                 "  copse nodes --long\n"
                                 "  copse nodes --json | jq '.nodes[] | .name'",
                                 [o] { return run_nodes(*o); });
  sub.flag("-l,--long", o->lines, "print one line per node");
  add_client_options(sub, o->client);
  add_status_change(line, "drain", "down", "Give no new jobs to nodes; running jobs continue",
                    "Examples:\n  copse drain node[0-3]\n  copse drain 0-3");
  add_status_change(line, "undrain", "up", "Give jobs to drained nodes again",
                    "Examples:\n  copse undrain node[0-3]");
}

}  // namespace copse
