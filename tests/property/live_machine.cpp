// SPDX-License-Identifier: Apache-2.0
#include "property/live_machine.hpp"

#include <algorithm>
#include <utility>

namespace copse::property {

LiveMachine::LiveMachine(Machine machine)
    : machine_(std::move(machine)), children_(machine_.children()) {
  parents_.resize(machine_.pools.size(), kNone);
  for (const auto& [from, to] : machine_.edges) parents_[to] = from;
}

void LiveMachine::number_pools(const ResourceGraph& graph) {
  pools_.assign(machine_.pools.size(), kNoPool);
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    const PoolId pool{v};
    if (!graph.removed(pool)) pools_[static_cast<Number>(graph.uniq_id(pool))] = pool;
  }
}

NewSubtree LiveMachine::attach(const Event& e, Names& names) {
  NewSubtree subtree{pools_[e.pool], {}};
  machine_.pools.resize(std::max<std::size_t>(machine_.pools.size(), e.first));
  children_.resize(machine_.pools.size());
  parents_.resize(machine_.pools.size(), kNone);
  for (const ComingPool& c : e.coming) {
    const auto v = static_cast<Number>(machine_.pools.size());
    const MachinePool& pool = c.pool;
    subtree.pools.push_back(
        {.parent = c.parent,
         .type = TypeId{static_cast<std::uint16_t>(names.types.intern(pool.type))},
         .basename = NameId{names.basenames.intern(pool.basename)},
         .unit = UnitId{static_cast<std::uint16_t>(names.units.intern(pool.unit))},
         .size = pool.size,
         .id = pool.id,
         .rank = pool.rank,
         .uniq_id = v,
         .name = {},
         .down = c.down,
         .properties = pool.properties});
    machine_.pools.push_back(pool);
    children_.emplace_back();
    parents_.push_back(c.parent == kNone ? e.pool : e.first + c.parent);
    children_[parents_.back()].push_back(v);
  }
  return subtree;
}

bool LiveMachine::meet(const std::map<Number, bool>& holder,
                       const std::map<Number, bool>& other) const {
  std::vector<bool> marked(machine_.pools.size(), false);
  for (const auto& [number, exclusive] : holder) {
    if (exclusive && !marked[number]) mark(number, marked);
  }
  return std::any_of(other.begin(), other.end(), [&](const auto& p) { return marked[p.first]; });
}

void LiveMachine::mark(Number v, std::vector<bool>& marked) const {
  marked[v] = true;
  for (Number child : children_[v]) mark(child, marked);
}

Machine LiveMachine::now(const Interner& types) const {
  Machine now = machine_;
  now.pools.clear();
  now.edges.clear();
  std::vector<Number> to(machine_.pools.size(), kNone);
  for (Number v = 0; v < machine_.pools.size(); ++v) {
    if (!has(v)) continue;
    to[v] = static_cast<Number>(now.pools.size());
    now.pools.push_back(machine_.pools[v]);
  }
  for (const bool of_the_tree : {false, true}) {  // of several edges into a pool: the last one
    for (Number v = 0; v < machine_.pools.size(); ++v) {
      for (Number child : children_[v]) {
        if (!has(v) || !has(child) || (parents_[child] == v) != of_the_tree) continue;
        now.edges.emplace_back(to[v], to[child]);
      }
    }
  }
  now.root = to[machine_.root];
  for (std::uint32_t t = 0; t < types.size(); ++t) now.types.push_back(types.text(t));
  for (auto& [from, end] : now.power) {
    from = to[from];
    end = to[end];
  }
  return now;
}

}  // namespace copse::property
