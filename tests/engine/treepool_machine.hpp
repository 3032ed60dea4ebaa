// SPDX-License-Identifier: Apache-2.0
//
// A machine of the treepool traverser, from an R, for tests: requests are shapes, answers are
// lines.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "copse/engine.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "graph/small_graph.hpp"
#include "request/constraint.hpp"
#include "request/shape.hpp"

namespace copse::test {

// Equal nodes, with their entry of `children`.
struct Nodes {
  std::string ranks, cores, gpus, topo;
};

// An R of these nodes; the host of rank 3 is "n3". Without any topo it has no `scheduling`.
inline std::string r_of(const std::vector<Nodes>& kinds, const std::string& more_execution = {}) {
  std::string lite, children, hosts;
  Idset ranks;
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (const Nodes& n : kinds) {
    lite += fmt::format(R"({}{{"rank": "{}", "children": {{"core": "{}"{}}}}})",
                        lite.empty() ? "" : ", ", n.ranks, n.cores,
                        n.gpus.empty() ? "" : fmt::format(R"(, "gpu": "{}")", n.gpus));
    if (!n.topo.empty()) {
      children += fmt::format(R"({}{{"ranks": "{}", "topo": {}}})", children.empty() ? "" : ", ",
                              n.ranks, n.topo);
    }
    const auto parsed = Idset::parse(n.ranks);
    all.insert(all.end(), parsed->ranges().begin(), parsed->ranges().end());
  }
  std::sort(all.begin(), all.end());
  for (const auto& [first, last] : all) ranks.add_range(first, last);
  hosts = fmt::format("\"n[{}]\"", ranks.text());
  const std::string scheduling =
      children.empty()
          ? ""
          : fmt::format(R"(, "scheduling": {{"writer": "TreePool", "children": [{}]}})", children);
  return fmt::format(R"({{"version": 1, "execution": {{"R_lite": [{}], "nodelist": [{}]{}}}{}}})",
                     lite, hosts, more_execution, scheduling);
}

// A machine of nodes with their leaves in two sockets each.
inline ResourceGraph with_sockets(const ResourceGraph& flat) {
  GraphText t;
  const auto copy = [&](GraphBuilder::Handle parent, PoolId p) {
    const auto made = t.child(
        parent,
        {.type = flat.type_name(p), .id = flat.id(p), .size = flat.size(p), .rank = flat.rank(p)});
    t.builder.set_name(made, flat.name(p));
    for (const auto& [key, value] :
         flat.properties(p) == nullptr ? ResourceGraph::Attributes{} : *flat.properties(p)) {
      t.builder.set_property(made, key, value);
    }
    return made;
  };
  const auto root = t.pool({.type = flat.type_name(flat.root()), .id = 0});
  t.root("containment", root);
  for (PoolId node : flat.children(flat.root())) {
    const auto made = copy(root, node);
    const auto leaves = flat.children(node);
    const GraphBuilder::Handle sockets[] = {t.child(made, {"socket", 0}),
                                            t.child(made, {"socket", 1})};
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      copy(sockets[2 * i < leaves.size() ? 0 : 1], leaves[i]);
    }
  }
  return t.build();
}

class TreepoolMachine {
 public:
  explicit TreepoolMachine(const std::string& text, bool sockets = false) {
    auto r = read_r(text, "R", {.layouts = TreepoolLimits{}});
    if (!r) throw std::runtime_error(r.error().message());
    auto graph = graph_of_r(*r);
    if (!graph) throw std::runtime_error(graph.error().message());
    EngineOptions options;
    options.traverser = Traverser::treepool;
    if (sockets) graph = with_sockets(*graph);
    auto made = Engine::create(std::move(*graph), std::move(options), std::move(r->layouts));
    if (!made) throw std::runtime_error(made.error().message());
    engine = std::move(*made);
  }
  // Without layouts.
  explicit TreepoolMachine(ResourceGraph graph) {
    EngineOptions options;
    options.traverser = Traverser::treepool;
    auto made = Engine::create(std::move(graph), std::move(options));
    if (!made) throw std::runtime_error(made.error().message());
    engine = std::move(*made);
  }
  explicit TreepoolMachine(const std::vector<Nodes>& kinds) : TreepoolMachine(r_of(kinds)) {}

  // "0: core 0-7 gpu 0"; ranks with equal ids are joined, ordered by the smallest, separated by ";
  // ". On failure the word of the error.
  std::string alloc(std::string_view shape, JobId job, const std::string& constraint = {},
                    std::int64_t duration_s = 0,
                    Operation operation = Operation::allocate_with_satisfiability) {
    auto request = parse_shape(shape);
    if (!request) return request.error().message();
    if (!constraint.empty()) {
      auto parsed = parse_constraint(constraint);
      if (!parsed) return word(parsed.error().code);
      request->constraint = std::move(*parsed);
    }
    request->duration_s = duration_s;
    auto prepared = engine->prepare(std::move(*request));
    if (!prepared) return word(prepared.error().code);
    auto match = engine->match(operation, *prepared, job);
    remarks = match ? (*match)->remarks : match.error().remarks;
    if (!match) return word(match.error().code);
    nslots = (*match)->nslots;
    start = (*match)->start;
    if (operation == Operation::satisfiability) return "satisfiable";
    return shown((*match)->selection);
  }
  std::string satisfy(std::string_view shape, const std::string& constraint = {}) {
    return alloc(shape, 0, constraint, 0, Operation::satisfiability);
  }

  [[nodiscard]] std::string shown(const Selection& selection) const {
    const ResourceGraph& graph = engine->graph();
    std::vector<ExpandedPool> pools;
    expand(graph, selection, pools);
    std::map<std::int64_t, std::map<std::string, Idset>> by_rank;
    for (const ExpandedPool& e : pools) {
      const std::string& type = graph.type_name(e.pool);
      if (e.exclusive && (type == "core" || type == "gpu")) {
        by_rank[graph.rank(e.pool)][type].add(graph.id(e.pool));
      }
    }
    std::vector<std::pair<std::string, Idset>> groups;
    for (const auto& [rank, types] : by_rank) {
      std::string text;
      for (const auto& [type, ids] : types) text += fmt::format(" {} {}", type, ids.text());
      auto same = std::find_if(groups.begin(), groups.end(),
                               [&](const auto& group) { return group.first == text; });
      if (same == groups.end()) same = groups.insert(same, {text, {}});
      if (rank >= 0) same->second.add(rank);  // test machines may have none
    }
    std::string out;
    for (const auto& [text, ranks] : groups) {
      out += fmt::format("{}{}:{}", out.empty() ? "" : "; ", ranks.text(), text);
    }
    return out;
  }

  [[nodiscard]] PoolId node(std::int32_t rank) const { return engine->graph().of_rank(rank)[0]; }

  std::unique_ptr<Engine> engine;
  std::vector<std::string> remarks;    // of the last alloc
  std::int64_t nslots = 0, start = 0;  // of the last match
};

}  // namespace copse::test
