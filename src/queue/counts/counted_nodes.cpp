// SPDX-License-Identifier: Apache-2.0
#include "queue/counts/counted_nodes.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/hostlist.hpp"
#include "request/constraint.hpp"

namespace copse::queue {

CountedNodes::CountedNodes(const ResourceGraph& graph) : node_(graph.find_type("node")) {
  if (node_ == kNoType || graph.has_further_edges() || graph.largest(node_) != 1) return;
  for (const PoolId p : graph.of_type(node_)) {
    if (!graph.in_tree(p)) return;
    for (PoolId up = graph.parent(p); up != kNoPool; up = graph.parent(up)) {
      if (graph.type(up) == node_ || graph.size(up) != 1) return;
    }
  }
  pools_ = graph.of_type(node_);
  std::ranges::sort(pools_);
  countable_ = true;
  const TypeId core = graph.find_type("core");
  if (core == kNoType || graph.largest(core) != 1) return;
  cores_.assign(pools_.size(), 0);
  for (const PoolId p : graph.of_type(core)) {
    PoolId up = p;
    while (up != kNoPool && graph.type(up) != node_) up = graph.parent(up);
    const std::uint32_t n = up == kNoPool ? kNone : number(up);
    if (n != kNone) ++cores_[n];
  }
}

std::uint32_t CountedNodes::number(PoolId node) const {
  const auto at = std::ranges::lower_bound(pools_, node);
  if (at == pools_.end() || *at != node) return kNone;
  return static_cast<std::uint32_t>(at - pools_.begin());
}

std::vector<std::uint32_t> CountedNodes::of(const ResourceGraph& graph,
                                            const Selection& selection) const {
  std::vector<std::uint32_t> out;
  for (const SelectedPools& taken : selection.taken) {
    PoolId first = taken.first;
    if (graph.type(first) == node_) {
      for (std::uint32_t i = 0; i < taken.count; ++i) {
        const std::uint32_t n = number(PoolId{first.v + i});
        if (n != kNone && (out.empty() || out.back() != n)) out.push_back(n);
      }
      continue;
    }
    while (first != kNoPool && graph.type(first) != node_) first = graph.parent(first);
    const std::uint32_t n = first == kNoPool ? kNone : number(first);
    if (n != kNone && (out.empty() || out.back() != n)) out.push_back(n);
  }
  return out;
}

NodeSet CountedNodes::meeting(const ResourceGraph& graph, const Constraint& constraint) const {
  NodeSet out(pools_.size(), true);
  if (constraint.empty()) return out;
  std::string name;
  for (std::size_t n = 0; n < pools_.size(); ++n) {
    name.clear();
    graph.append_name(pools_[n], name);
    out[n] = holds(constraint, {name, graph.rank(pools_[n]), graph.properties(pools_[n])});
  }
  return out;
}

std::optional<NodeSet> CountedNodes::named(const ResourceGraph& graph,
                                           std::string_view hostlist) const {
  const auto hosts = expand_hostlist(hostlist);
  if (!hosts) return std::nullopt;
  const std::unordered_set<std::string> names(hosts->begin(), hosts->end());
  NodeSet out(pools_.size(), false);
  for (std::size_t n = 0; n < pools_.size(); ++n) out[n] = names.contains(graph.name(pools_[n]));
  return out;
}

bool CountedNodes::usable(const Engine& engine, std::uint32_t number) const {
  const ResourceGraph& graph = engine.graph();
  for (PoolId up = pools_[number]; up != kNoPool; up = graph.parent(up)) {
    if (!copse::usable(engine.status(up))) return false;
  }
  return true;
}

NodeSet CountedNodes::usable(const Engine& engine) const {
  NodeSet out(pools_.size());
  for (std::uint32_t n = 0; n < pools_.size(); ++n) out[n] = usable(engine, n);
  return out;
}

}  // namespace copse::queue
