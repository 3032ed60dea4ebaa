// SPDX-License-Identifier: Apache-2.0
//
// /v1/machine and /v1/nodes.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "server/http/handlers/handlers.hpp"
#include "server/http/problem.hpp"
#include "session/node_jobs.hpp"
#include "session/status/machine_status_text.hpp"
#include "text/json_writer.hpp"
#include "text/tree/json_tree.hpp"

namespace copse::server {

namespace {

// All nodes, in machine order.
std::vector<PoolId> nodes_of(const ResourceGraph& graph) {
  const TypeId node = graph.find_type("node");
  std::vector<PoolId> out;
  graph.preorder(graph.root(), [&](PoolId p) {
    if (graph.type(p) != node) return true;
    out.push_back(p);
    return false;
  });
  return out;
}

// The states and jobs of nodes: by name, a bit for each state that some of the node has.
class NodeStates {
 public:
  // `hidden`: jobs that are not listed. `only`: the name of the one node that is asked for.
  NodeStates(Session& session, IsHidden hidden, std::optional<std::string_view> only = {})
      : jobs_(session.engine()), hidden_(std::move(hidden)) {
    const MachineStatus& status = session.status();
    for (std::size_t state = 0; state < status.parts.size(); ++state) {
      for (const std::string& name : status.parts.at(state).nodes) {
        if (!only || name == *only) bits_[name] |= 1U << state;
      }
    }
  }

  void append(const Service& service, PoolId node, JsonWriter& json) const {
    const Engine& engine = service.session().engine();
    const ResourceGraph& graph = engine.graph();
    const std::string name = graph.name(node);
    const auto at = bits_.find(name);
    const unsigned bits = at == bits_.end() ? 0 : at->second;
    const std::string path = graph.path(node, graph.dominant());
    const DrainRow* drain = service.jobs().drains().table().find(path);
    const bool is_drained = drain != nullptr && !drain->down;
    json.object([&] {
      json.member("name", name);
      if (graph.rank(node) >= 0) json.member("rank", graph.rank(node));
      json.member("path", path);
      const bool is_busy = (bits & kAllocated) != 0;
      json.member("status", std::string_view(is_drained ? (is_busy ? "draining" : "drained")
                                                        : word(engine.status(node))));
      const auto state_word = node_state(usable(engine.status(node)), is_drained, has(bits));
      json.member("state", std::string_view(
                               MachineStatus::kNodeWords.at(static_cast<std::size_t>(state_word))));
      json.list("states", [&] {
        for (std::size_t state = 0; state < MachineStatus::drained; ++state) {
          if ((bits >> state & 1U) != 0) {
            json.value(std::string_view(MachineStatus::kWords.at(state)));
          }
        }
        if (drain != nullptr) json.value(is_busy ? "draining" : "drained");
      });
      json.member("jobs", ids_text(jobs_.of(node)));
      if (const DrainRow* down =
              service.jobs().drains().table().find(path, DrainTable::Kind::set_down)) {
        json.object("down", [&] {
          json.member("reason", down->reason);
          json.member("by", down->by);
          json.member("at", down->at);
        });
      }
      if (drain == nullptr) return;
      json.object("drain", [&] {
        json.member("reason", drain->reason);
        json.member("by", drain->by);
        json.member("at", drain->at);
        json.member("down", drain->down);
      });
    });
  }

 private:
  static constexpr unsigned kAllocated = 1U << MachineStatus::allocated;
  static std::array<bool, 5> has(unsigned bits) {
    std::array<bool, 5> out{};
    for (std::size_t state = 0; state < out.size(); ++state)
      out.at(state) = (bits >> state & 1U) != 0;
    return out;
  }
  // "1-3,7"
  [[nodiscard]] std::string ids_text(std::span<const JobId> jobs) const {
    Idset out;
    for (const JobId job : jobs) {
      if (!hidden_ || !hidden_(job)) out.add(static_cast<std::int64_t>(job));
    }
    return out.text();
  }

  NodeJobs jobs_;
  IsHidden hidden_;
  std::unordered_map<std::string, unsigned> bits_;
};

PoolId find_node(const ResourceGraph& graph, std::string_view name) {
  const std::vector<PoolId> nodes = nodes_of(graph);
  const auto at = std::ranges::find_if(nodes, [&](PoolId p) { return graph.name(p) == name; });
  return at == nodes.end() ? kNoPool : *at;
}

HttpResponse no_node(std::string_view name) {
  return problem(Problem::not_found, fmt::format("the machine has no node \"{}\"", name));
}

// The body {"status": WORD, "reason": TEXT}; word "": invalid.
struct StatusChange {
  std::string word{};
  std::optional<std::string> reason{};
};

StatusChange status_change(std::string_view body) {
  const auto tree = read_json_object(body);
  if (!tree) return {};
  const TreeView object(*tree);
  const auto status = object.find("status"), reason = object.find("reason");
  if (!status || !status->is_scalar() || (reason && !reason->is_scalar())) return {};
  StatusChange out{.word = std::string(status->text())};
  if (reason) out.reason = reason->text();
  const bool known = out.word == "up" || out.word == "down" || out.word == "drain";
  const bool others = object.size() > (reason ? 2U : 1U);
  return known && !others && (!reason || out.word != "up") ? out : StatusChange{};
}

// The session requests that set this status.
std::vector<std::string> lines_of(const StatusChange& change, std::string_view name) {
  const auto line = [&](std::string_view op) {
    return object_text([&](JsonWriter& json) {
      json.member("op", op);
      json.member("nodes", name);
      if (change.reason) json.member("reason", *change.reason);
    });
  };
  if (change.word == "up") return {line("undrain"), line("up")};
  return {line(change.word)};
}

}  // namespace

HttpResponse get_machine(HttpContext& context, const HttpCall& /*call*/) {
  const Engine& engine = context.service.session().engine();
  const ResourceGraph& graph = engine.graph();
  return json_response([&](JsonWriter& json) {
    json.member("name", graph.name(graph.root()));
    json.member("pools", graph.tree_count());
    json.member("nodes", nodes_of(graph).size());
    json.member("grants", engine.grant_count());
    json.member("sequence", context.service.next());
    json.key("status");
    append_status_json(json.begin(), context.service.session().status());
  });
}

HttpResponse get_nodes(HttpContext& context, const HttpCall& call) {
  const auto limit = limit_of(call.target);
  if (!limit) return problem_of(limit.error());
  const Engine& engine = context.service.session().engine();
  const ResourceGraph& graph = engine.graph();
  const std::vector<PoolId> nodes = nodes_of(graph);
  auto at = nodes.begin();
  if (const std::string* after = call.target.find("after")) {
    at = std::ranges::find_if(nodes, [&](PoolId p) { return graph.name(p) == *after; });
    if (at == nodes.end()) return no_node(*after);
    ++at;
  }
  const NodeStates states(context.service.session(),
                          context.service.hidden_from(call.request.caller));
  return json_response([&](JsonWriter& json) {
    json.list("nodes", [&] {
      for (std::size_t left = *limit; at != nodes.end() && left > 0; ++at, --left) {
        states.append(context.service, *at, json);
      }
    });
    if (at != nodes.end()) json.member("next", graph.name(*(at - 1)));
  });
}

HttpResponse get_node(HttpContext& context, const HttpCall& call) {
  const Engine& engine = context.service.session().engine();
  const PoolId node = find_node(engine.graph(), call.parameter);
  if (node == kNoPool) return no_node(call.parameter);
  HttpResponse out;
  JsonWriter json(out.body);
  NodeStates(context.service.session(), context.service.hidden_from(call.request.caller),
             call.parameter)
      .append(context.service, node, json);
  out.body += '\n';
  return out;
}

// Jobs on a drained or down node continue.
HttpResponse patch_node(HttpContext& context, const HttpCall& call) {
  const StatusChange change = status_change(call.request.body);
  if (change.word.empty()) {
    return problem(
        Problem::invalid,
        R"(the body must be {"status": WORD}, WORD up, down or drain; down and drain may have a "reason")");
  }
  const ResourceGraph& graph = context.service.session().engine().graph();
  const PoolId node = find_node(graph, call.parameter);
  if (node == kNoPool) return no_node(call.parameter);
  for (const std::string& line : lines_of(change, call.parameter)) {
    HttpResponse out = run_operation(context, call, line);
    if (out.status != 200) return out;
  }
  return get_node(context, call);
}

}  // namespace copse::server
