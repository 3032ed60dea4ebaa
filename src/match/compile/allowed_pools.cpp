// SPDX-License-Identifier: Apache-2.0
#include "match/compile/allowed_pools.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "request/constraint.hpp"

namespace copse {

namespace {

// The properties that a constraint wants nodes to have.
void add_wanted(const Constraint& constraint, std::set<std::string_view>& out) {
  if (constraint.op == Constraint::Op::negate) return;
  if (constraint.op == Constraint::Op::properties) {
    for (const std::string& word : constraint.words) {
      if (!word.starts_with('^')) out.insert(word);
    }
  }
  for (const Constraint& operand : constraint.operands) add_wanted(operand, out);
}

// The node that a pool is inside of; kNoPool if there is none.
PoolId node_of(const ResourceGraph& graph, PoolId p, TypeId node) {
  if (!graph.in_tree(p)) return kNoPool;
  for (PoolId up = graph.parent(p); up != kNoPool; up = graph.parent(up)) {
    if (graph.type(up) == node) return up;
  }
  return kNoPool;
}

bool has_some(const ResourceGraph::Attributes& properties,
              const std::set<std::string_view>& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return properties.contains(std::string(word)); });
}

}  // namespace

AllowedPools::AllowedPools(TypeId type, std::span<const std::string> properties,
                           const ResourceGraph& graph)
    : types_{type} {
  auto allowed = std::make_shared<std::vector<bool>>(graph.pool_count(), true);
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    if (graph.type(PoolId{v}) != type) continue;
    const auto* has = graph.properties(PoolId{v});
    (*allowed)[v] = std::ranges::all_of(properties, [&](const std::string& word) {
      const bool absent = word.starts_with('^');
      return (has != nullptr && has->contains(absent ? word.substr(1) : word)) != absent;
    });
  }
  pools_ = std::move(allowed);
}

// Devices are compared in a second pass, once it is known in which nodes some have these properties.
AllowedPools::AllowedPools(const Constraint& constraint, const ResourceGraph& graph) {
  if (constraint.empty()) return;
  const TypeId node = graph.find_type("node"), storage = graph.find_type("storage_node");
  types_ = {node, storage};
  std::set<std::string_view> wanted;
  add_wanted(constraint, wanted);
  std::set<std::pair<TypeId, PoolId>> typed;  // types of devices, the nodes that they are in
  auto allowed = std::make_shared<std::vector<bool>>(graph.pool_count(), true);
  std::string name;
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    const PoolId p{v};
    if (graph.type(p) != node && graph.type(p) != storage) {
      const auto* properties = wanted.empty() ? nullptr : graph.properties(p);
      if (properties == nullptr || !has_some(*properties, wanted)) continue;
      const PoolId in = node_of(graph, p, node);
      if (in != kNoPool) typed.emplace(graph.type(p), in);
      continue;
    }
    name.clear();
    graph.append_name(p, name);
    (*allowed)[v] = holds(constraint, {name, graph.rank(p), graph.properties(p)});
  }
  for (const auto& [type, in] : typed) {
    if (!compares(type)) types_.push_back(type);
  }
  for (std::uint32_t v = 0; types_.size() > 2 && v < graph.pool_count(); ++v) {
    const PoolId p{v};
    if (graph.type(p) == node || graph.type(p) == storage || !compares(graph.type(p))) continue;
    if (!typed.contains({graph.type(p), node_of(graph, p, node)})) continue;
    const auto* properties = graph.properties(p);
    (*allowed)[v] = properties != nullptr && has_some(*properties, wanted);
  }
  pools_ = std::move(allowed);
}

AllowedPools::AllowedPools(const AllowedPools& other, std::span<const PoolId> without,
                           const ResourceGraph& graph)
    : types_(other.types_) {
  auto allowed = other.empty() ? std::make_shared<std::vector<bool>>(graph.pool_count(), true)
                               : std::make_shared<std::vector<bool>>(*other.pools_);
  for (const PoolId p : without) (*allowed)[p.v] = false;
  pools_ = std::move(allowed);
}

}  // namespace copse
