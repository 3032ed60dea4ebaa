// SPDX-License-Identifier: Apache-2.0
//
// /v1/machine and /v1/nodes.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "server/http/handlers.hpp"
#include "server/http/problem.hpp"
#include "session/machine_status.hpp"
#include "text/json_fault.hpp"
#include "text/json_text.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

namespace {

// Nodes of the machine, in its order.
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

// By the name of a node: a bit for each state that some of it has.
class NodeStates {
 public:
  explicit NodeStates(const Engine& engine) : status_(status_of(engine)) {
    for (std::size_t state = 0; state < status_.parts.size(); ++state) {
      for (const std::string& name : status_.parts.at(state).nodes) bits_[name] |= 1U << state;
    }
  }

  void append(const Engine& engine, PoolId node, JsonWriter& json) const {
    const ResourceGraph& graph = engine.graph();
    const std::string name = graph.name(node);
    const auto at = bits_.find(name);
    const unsigned bits = at == bits_.end() ? 0 : at->second;
    json.object([&] {
      json.member("name", name);
      if (graph.rank(node) >= 0) json.member("rank", graph.rank(node));
      json.member("path", graph.path(node, graph.dominant()));
      json.member("status", std::string_view(word(engine.status(node))));
      json.key("states");
      json.open('[');
      for (std::size_t state = 0; state < MachineStatus::kWords.size(); ++state) {
        if ((bits >> state & 1U) != 0)
          json.value(std::string_view(MachineStatus::kWords.at(state)));
      }
      json.close(']');
    });
  }

 private:
  MachineStatus status_;
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

// Of {"status": WORD}, the word; "": it is something else.
std::string_view status_word(std::string_view body) {
  if (find_json_fault_of_line(body)) return {};
  std::string plain;
  body.remove_prefix(std::min(body.find_first_not_of(kJsonBlanks), body.size()));
  append_json_value(plain, body);
  for (const std::string_view word : {"up", "down", "drain"}) {
    if (plain == fmt::format(R"({{"status": "{}"}})", word)) return word;
  }
  return {};
}

}  // namespace

HttpResponse get_machine(HttpContext& context, const HttpCall& /*call*/) {
  const Engine& engine = context.service.session().engine();
  const ResourceGraph& graph = engine.graph();
  HttpResponse out;
  JsonWriter json(out.body);
  json.object([&] {
    json.member("name", graph.name(graph.root()));
    json.member("pools", graph.tree_count());
    json.member("nodes", nodes_of(graph).size());
    json.member("grants", engine.grant_count());
    json.member("sequence", context.service.next());
    json.key("status");
    append_status_json(json.begin(), status_of(engine));
  });
  out.body += '\n';
  return out;
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
  const NodeStates states(engine);
  HttpResponse out;
  JsonWriter json(out.body);
  json.object([&] {
    json.key("nodes");
    json.open('[');
    for (std::size_t left = *limit; at != nodes.end() && left > 0; ++at, --left) {
      states.append(engine, *at, json);
    }
    json.close(']');
    if (at != nodes.end()) json.member("next", graph.name(*(at - 1)));
  });
  out.body += '\n';
  return out;
}

HttpResponse get_node(HttpContext& context, const HttpCall& call) {
  const Engine& engine = context.service.session().engine();
  const PoolId node = find_node(engine.graph(), call.parameter);
  if (node == kNoPool) return no_node(call.parameter);
  HttpResponse out;
  JsonWriter json(out.body);
  NodeStates(engine).append(engine, node, json);
  out.body += '\n';
  return out;
}

// What runs on a node that is down goes on: so to drain it is to set it down.
HttpResponse patch_node(HttpContext& context, const HttpCall& call) {
  const std::string_view status = status_word(call.request.body);
  if (status.empty()) {
    return problem(Problem::invalid, R"(the body is {"status": WORD}: up, down or drain)");
  }
  const bool down = status != "up";
  const ResourceGraph& graph = context.service.session().engine().graph();
  const PoolId node = find_node(graph, call.parameter);
  if (node == kNoPool) return no_node(call.parameter);
  if (graph.rank(node) < 0) {
    return problem(Problem::invalid, "this node has no rank, and is known by none");
  }
  const std::string line =
      fmt::format(R"({{"op": "{}", "ranks": "{}"}})", down ? "down" : "up", graph.rank(node));
  HttpResponse out = ask_session(context, call, line);
  return out.status == 200 ? get_node(context, call) : out;
}

}  // namespace copse::server
