// SPDX-License-Identifier: Apache-2.0
#include "hres/node_numbers.hpp"

namespace copse {

NodeNumbers::NodeNumbers(const ResourceGraph& graph) {
  if (graph.pool_count() > 0) attached(graph, graph.root());
}

NodeNumbers::NodeNumbers(const ResourceGraph& graph, std::vector<std::string> names,
                         std::vector<PoolId> pools)
    : node_(graph.find_type("node")),
      names_(std::move(names)),
      pools_(std::move(pools)),
      interiors_(graph.interior_count(), kNone) {
  for (std::uint32_t number = 0; number < count(); ++number) {
    by_name_.emplace(names_[number], number);
    if (pools_[number] != kNoPool) set(graph, pools_[number], number);
  }
}

void NodeNumbers::rebind(const ResourceGraph& graph, std::span<const PoolId> to) {
  interiors_.assign(graph.interior_count(), kNone);
  leaves_.clear();
  for (std::uint32_t number = 0; number < count(); ++number) {
    PoolId& pool = pools_[number];
    if (pool != kNoPool) pool = to[pool.v];
    if (pool != kNoPool) set(graph, pool, number);
  }
  if (graph.pool_count() > 0) attached(graph, graph.root());
}

void NodeNumbers::attached(const ResourceGraph& graph, PoolId top) {
  if (node_ == kNoType) node_ = graph.find_type("node");
  if (node_ == kNoType) return;
  interiors_.resize(graph.interior_count(), kNone);
  graph.preorder(top, [&](PoolId p) {
    if (graph.type(p) == node_ && of(graph, p) == kNone) add(graph, p);
    return graph.type(p) != node_;
  });
}

void NodeNumbers::removing(const ResourceGraph& graph, PoolId top) {
  graph.preorder(top, [&](PoolId p) {
    if (const std::uint32_t number = of(graph, p); number != kNone) pools_[number] = kNoPool;
    return graph.type(p) != node_;
  });
}

// Reuses a number of this name whose node was removed, or takes a new one.
void NodeNumbers::add(const ResourceGraph& graph, PoolId pool) {
  std::string name = graph.name(pool);
  std::uint32_t number = kNone;
  const auto [first, last] = by_name_.equal_range(name);
  for (auto at = first; at != last; ++at) {
    if (pools_[at->second] == kNoPool) number = std::min(number, at->second);
  }
  if (number == kNone) {
    number = count();
    by_name_.emplace(name, number);
    names_.push_back(std::move(name));
    pools_.push_back(kNoPool);
  }
  pools_[number] = pool;
  set(graph, pool, number);
}

void NodeNumbers::set(const ResourceGraph& graph, PoolId pool, std::uint32_t number) {
  if (graph.leaf(pool)) {
    leaves_.emplace(pool.v, number);
  } else {
    interiors_[graph.interior(pool)] = number;
  }
}

bool NodeNumbers::append_named(std::string_view name, std::vector<std::uint32_t>& out) const {
  const auto [first, last] = by_name_.equal_range(name);
  for (auto at = first; at != last; ++at) out.push_back(at->second);
  return first != last;
}

}  // namespace copse
