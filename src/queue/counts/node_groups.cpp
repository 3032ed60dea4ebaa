// SPDX-License-Identifier: Apache-2.0
#include "queue/counts/node_groups.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace copse::queue {

namespace {

using Interval = NodeGroups::Interval;

// Joins intervals that overlap or touch.
std::vector<Interval> joined(std::vector<Interval> all) {
  std::ranges::sort(all);
  std::vector<Interval> out;
  for (const Interval& each : all) {
    if (!out.empty() && each.from_s <= out.back().until_s) {
      out.back().until_s = std::max(out.back().until_s, each.until_s);
    } else {
      out.push_back(each);
    }
  }
  return out;
}

// By node; times that are over are left out.
std::vector<std::vector<Interval>> reserved_times(const CountedNodes& nodes,
                                                  std::span<const ReservedTime> reserved,
                                                  std::int64_t now_s) {
  std::vector<std::vector<Interval>> out(nodes.size());
  for (const ReservedTime& time : reserved) {
    if (time.until_s <= now_s) continue;
    for (const PoolId pool : time.nodes) {
      const std::uint32_t n = nodes.number(pool);
      if (n != CountedNodes::kNone) out[n].push_back({time.from_s, time.until_s});
    }
  }
  for (auto& times : out) {
    if (times.size() > 1) times = joined(std::move(times));
  }
  return out;
}

}  // namespace

// Layers of these resources; `out`: by resource of mode 3 and node, the leaf over the node.
void NodeGroups::add_layers(const Engine& engine, const CountedNodes& nodes,
                            std::span<const std::string> names,
                            std::vector<std::vector<std::uint32_t>>& out) {
  if (names.empty()) return;
  const std::vector<LayerView> all = engine.layers(engine.now());
  std::vector<std::uint32_t> number(all.size(), kNone);
  for (const std::string& name : names) {
    Resource made{name};
    std::vector<std::uint32_t> leaf(nodes.size(), kNone);
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (all[n].resource != name) continue;
      number[n] = static_cast<std::uint32_t>(layers_.size());
      const bool unlimited = all[n].total == kUnlimitedCount;
      layers_.push_back({unlimited ? INT64_MAX / 2 : all[n].total, kNone, all[n].number});
      made.each_node = all[n].mode == 3;
      if (!made.each_node) made.layer = number[n];
      if (!made.each_node || all[n].level > 0) continue;
      const auto here = nodes.named(engine.graph(), all[n].nodes);
      for (std::size_t node = 0; here && node < leaf.size(); ++node) {
        if ((*here)[node]) leaf[node] = number[n];
      }
    }
    if (made.each_node) {
      made.leaves = static_cast<std::uint32_t>(out.size());
      out.push_back(std::move(leaf));
    }
    resources_.push_back(std::move(made));
  }
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (number[n] == kNone || all[n].parent < 0) continue;
    layers_[number[n]].above = number[static_cast<std::size_t>(all[n].parent)];
  }
}

std::shared_ptr<const NodeGroups> NodeGroups::make(const Engine& engine, const CountedNodes& nodes,
                                                   const Requested& requested,
                                                   std::span<const ReservedTime> reserved) {
  const auto times = reserved_times(nodes, reserved, engine.now());
  for (const bool merged : {true, false}) {
    if (merged && !requested.by_all) continue;
    auto out = std::make_shared<NodeGroups>();
    for (const NodeSet& set : requested.sets) out->sets_.push_back({set});
    std::vector<std::string> resources = requested.resources;
    if (merged) std::erase(resources, requested.by_all->resource);
    std::vector<std::vector<std::uint32_t>> leaves;
    out->add_layers(engine, nodes, resources, leaves);
    out->add_nodes(engine, nodes, leaves, times);
    if (merged && !out->merge(*requested.by_all, engine, nodes)) continue;
    if (out->groups_.size() > kGroupsMax) return nullptr;
    out->order_sets();
    return out;
  }
  return nullptr;
}

// One group too many is enough.
void NodeGroups::add_nodes(const Engine& engine, const CountedNodes& nodes,
                           const std::vector<std::vector<std::uint32_t>>& leaves,
                           const std::vector<std::vector<Interval>>& times) {
  using Key = std::tuple<NodeSet, std::vector<Interval>, std::vector<std::uint32_t>>;
  std::map<Key, std::uint32_t> known;
  group_of_.assign(nodes.size(), kNone);
  Key key;
  auto& [in_sets, reserved, under] = key;
  in_sets.resize(sets_.size());
  under.resize(leaves.size());
  for (std::uint32_t n = 0; n < nodes.size() && groups_.size() <= kGroupsMax; ++n) {
    for (std::size_t s = 0; s < in_sets.size(); ++s) in_sets[s] = sets_[s].nodes[n];
    reserved = times[n];
    for (std::size_t r = 0; r < under.size(); ++r) under[r] = leaves[r][n];
    const auto [at, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
    if (is_new) {
      groups_.push_back({.reserved = reserved, .leaves = under});
      for (std::uint32_t s = 0; s < in_sets.size(); ++s) {
        if (in_sets[s]) sets_[s].groups.push_back(at->second);
      }
    }
    if (!nodes.usable(engine, n)) continue;
    group_of_[n] = at->second;
    Group& group = groups_[at->second];
    ++group.usable;
    group.nodes.push_back(n);
  }
}

// The largest number of its nodes for which all layers have the amount.
bool NodeGroups::merge(const CountedRequest::Amount& amount, const Engine& engine,
                       const CountedNodes& nodes) {
  std::uint32_t only = kNone;
  for (const Set& set : sets_) {
    for (const std::uint32_t g : set.groups) {
      if (only != kNone && g != only) return false;
      only = g;
    }
  }
  if (only == kNone) return false;
  const std::vector<LayerView> all = engine.layers(engine.now());
  std::vector<std::size_t> order;  // leaves first
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (all[n].resource == amount.resource) order.push_back(n);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t n) { return all[n].level; });
  std::vector<std::int64_t> has(all.size(), 0);  // nodes
  std::int64_t most = 0;
  for (const std::size_t n : order) {
    if (all[n].level == 0) {
      const auto here = nodes.named(engine.graph(), all[n].nodes);
      if (!here) return false;
      has[n] = std::ranges::count_if(groups_[only].nodes,
                                     [&](std::uint32_t node) { return (*here)[node]; });
    }
    if (all[n].total != kUnlimitedCount)
      has[n] = std::min(has[n], std::max<std::int64_t>(all[n].total, 0) / amount.amount);
    if (all[n].parent < 0) {
      most += has[n];
    } else {
      has[static_cast<std::size_t>(all[n].parent)] += has[n];
    }
  }
  groups_[only].usable = most;
  merged_ = amount;
  return true;
}

void NodeGroups::order_sets() {
  std::vector<std::size_t> sets_of(groups_.size(), 0);
  for (std::uint32_t s = 0; s < sets_.size(); ++s) {
    for (const std::uint32_t g : sets_[s].groups) {
      ++sets_of[g];
      groups_[g].sets.push_back(s);
    }
  }
  for (Set& set : sets_) {
    std::ranges::sort(set.groups, {}, [&](std::uint32_t g) {
      return std::tuple(sets_of[g], groups_[g].reserved.empty(), g);
    });
  }
  for (Group& group : groups_) {
    const auto is_alone = [&](std::uint32_t s) { return sets_[s].groups.size() == 1; };
    if (std::ranges::all_of(group.sets, is_alone)) group.sets.clear();
  }
  order_within();
  is_one_ = groups_.size() == 1 && groups_.front().reserved.empty() && layers_.empty();
}

void NodeGroups::order_within() {
  for (std::uint32_t s = 0; s < sets_.size(); ++s) {
    const auto& groups = sets_[s].groups;
    if (groups.size() == 1 && groups_[groups.front()].sets.empty()) continue;
    sets_[s].within.push_back(s);
    for (std::uint32_t other = 0; other < sets_.size(); ++other) {
      const bool has_all = std::ranges::all_of(groups, [&](std::uint32_t g) {
        return std::ranges::find(groups_[g].sets, other) != groups_[g].sets.end();
      });
      if (other != s && has_all && !groups.empty()) sets_[s].within.push_back(other);
    }
  }
}

std::uint32_t NodeGroups::find(const NodeSet& set) const {
  const auto at = std::ranges::find(sets_, set, &Set::nodes);
  return at == sets_.end() ? kNone : static_cast<std::uint32_t>(at - sets_.begin());
}

std::uint32_t NodeGroups::find_resource(std::string_view name) const {
  const auto at = std::ranges::find(resources_, name, &Resource::name);
  return at == resources_.end() ? kNone : static_cast<std::uint32_t>(at - resources_.begin());
}

}  // namespace copse::queue
