// SPDX-License-Identifier: Apache-2.0
#include "queue/counts/node_counts.hpp"

#include <algorithm>
#include <cassert>

namespace copse::queue {

NodeCounts::NodeCounts(std::shared_ptr<const NodeGroups> groups) : groups_(std::move(groups)) {
  for (const NodeGroups::Group& group : groups_->groups()) by_group_.emplace_back(group.usable);
  for (const NodeGroups::Layer& layer : groups_->layers()) by_layer_.emplace_back(layer.total);
  for (const NodeGroups::Set& set : groups_->sets()) {
    std::int64_t usable = 0;
    for (const std::uint32_t g : set.groups) usable += groups_->groups()[g].usable;
    by_set_.emplace_back(usable);
  }
  if (!groups_->is_one()) running_.assign(units(), Planner(1));
  for (std::uint32_t g = 0; g < by_group_.size(); ++g) {
    const NodeGroups::Group& group = groups_->groups()[g];
    for (const auto& [from_s, until_s] : group.reserved) {
      by_group_[g].add(from_s, until_s, group.usable);
      for (const std::uint32_t s : group.sets) by_set_[s].add(from_s, until_s, group.usable);
    }
  }
}

std::optional<NodeCounts::Need> NodeCounts::need(const CountedRequest& request) const {
  Need out{request.nodes, groups_->find(*request.among)};
  if (out.set == NodeGroups::kNone) return std::nullopt;
  const auto& merged = groups_->merged();
  if (merged && std::ranges::find(request.amounts, *merged) == request.amounts.end())
    return std::nullopt;
  for (const CountedRequest::Amount& each : request.amounts) {
    if (merged && each == *merged) continue;
    const std::uint32_t resource = groups_->find_resource(each.resource);
    if (resource == NodeGroups::kNone) return std::nullopt;
    out.amounts.emplace_back(resource, each.amount);
  }
  return out;
}

const UnitCounts& NodeCounts::sum(std::uint32_t set) const {
  const NodeGroups::Set& of = groups_->sets()[set];
  return of.within.empty() ? by_group_[of.groups.front()] : by_set_[set];
}

UnitCounts& NodeCounts::mutable_sum(std::uint32_t set) {
  const NodeGroups::Set& of = groups_->sets()[set];
  return of.within.empty() ? by_group_[of.groups.front()] : by_set_[set];
}

// --- Changes

void NodeCounts::add(std::int64_t start_s, std::int64_t end_s, const CountedUse& use) {
  if (use.parts.empty()) return by_group_.front().add(start_s, end_s, use.nodes);
  change({start_s, end_s, use}, true, Note::nothing);
  change_sets({start_s, end_s, use}, true, Note::nothing);
}

void NodeCounts::remove(std::int64_t start_s, std::int64_t end_s, const CountedUse& use) {
  if (use.parts.empty()) return by_group_.front().remove(start_s, end_s, use.nodes, Note::freed);
  change({start_s, end_s, use}, false, Note::freed);
  change_sets({start_s, end_s, use}, false, Note::freed);
}

void NodeCounts::exchange(const Start& was, const CountedUse& to) {
  assert(!was.use.runs() && was.use.set == to.set);
  change(was, false, Note::nothing);
  change({was.start_s, was.end_s, to}, true, Note::nothing);
}

// In groups and layers.
void NodeCounts::change(const Start& at, bool more, Note note) {
  for (const auto& [number, amount] : at.use.parts) {
    UnitCounts* const layer =
        number < by_group_.size() ? nullptr : &by_layer_[number - by_group_.size()];
    if (layer != nullptr) {
      change_units(*layer, {at.start_s, at.end_s}, amount, more, note);
    } else {
      change_open(by_group_[number], groups_->groups()[number], at, amount, more, note);
    }
  }
}

// In the times in which the nodes of the group are not reserved.
void NodeCounts::change_open(UnitCounts& of, const NodeGroups::Group& group, const Start& at,
                             std::int64_t nodes, bool more, Note note) {
  std::int64_t from_s = at.start_s;
  for (const auto& [reserved_s, until_s] : group.reserved) {
    if (until_s <= from_s) continue;
    if (reserved_s >= at.end_s) break;
    if (from_s < reserved_s) change_units(of, {from_s, reserved_s}, nodes, more, note);
    from_s = until_s;
  }
  if (from_s < at.end_s) change_units(of, {from_s, at.end_s}, nodes, more, note);
}

void NodeCounts::change_sets(const Start& at, bool more, Note note) {
  if (at.use.runs()) return change_sets_of_running(at, more, note);
  for (const std::uint32_t s : groups_->sets()[at.use.set].within)
    change_units(by_set_[s], {at.start_s, at.end_s}, at.use.nodes, more, note);
}

// Groups without reserved times are one change of a set.
void NodeCounts::change_sets_of_running(const Start& at, bool more, Note note) {
  for (const auto& [number, amount] : at.use.parts) {
    if (amount <= 0) continue;
    more ? running_[number].add(at.start_s, at.end_s, {&amount, 1})
         : running_[number].remove(at.start_s, at.end_s, {&amount, 1});
  }
  for (std::uint32_t s = 0; s < by_set_.size(); ++s) {
    std::int64_t nodes = 0;
    for (const auto& [number, amount] : at.use.parts) {
      if (number >= by_group_.size()) continue;
      const NodeGroups::Group& group = groups_->groups()[number];
      if (std::ranges::find(group.sets, s) == group.sets.end()) continue;
      if (group.reserved.empty()) {
        nodes += amount;
      } else {
        change_open(by_set_[s], group, at, amount, more, note);
      }
    }
    change_units(by_set_[s], {at.start_s, at.end_s}, nodes, more, note);
  }
}

void NodeCounts::change_units(UnitCounts& of, const NodeGroups::Interval& time, std::int64_t units,
                              bool more, Note note) {
  more ? of.add(time.from_s, time.until_s, units)
       : of.remove(time.from_s, time.until_s, units, note);
}

// --- What fits

bool NodeCounts::fits(std::int64_t start_s, std::int64_t end_s, const CountedUse& use) const {
  if (use.parts.empty()) return by_group_.front().fits(start_s, end_s, use.nodes);
  for (const auto& [number, amount] : use.parts) {
    if (number >= by_group_.size()) {
      if (!by_layer_[number - by_group_.size()].fits(start_s, end_s, amount)) return false;
      continue;
    }
    // What is reserved is the engine's to decide: the job may have been admitted.
    std::int64_t from_s = start_s;
    for (const auto& [reserved_s, until_s] : groups_->groups()[number].reserved) {
      if (until_s <= from_s) continue;
      if (reserved_s >= end_s) break;
      if (from_s < reserved_s && !by_group_[number].fits(from_s, reserved_s, amount)) return false;
      from_s = until_s;
    }
    if (from_s < end_s && !by_group_[number].fits(from_s, end_s, amount)) return false;
  }
  return true;
}

bool NodeCounts::sums_fit(std::int64_t start_s, std::int64_t end_s, const Need& need) const {
  const auto& within = groups_->sets()[need.set].within;
  if (!sum(need.set).fits(start_s, end_s, need.nodes)) return false;
  const bool sets = std::ranges::all_of(
      within, [&](std::uint32_t s) { return by_set_[s].fits(start_s, end_s, need.nodes); });
  return sets && std::ranges::all_of(need.amounts, [&](const auto& each) {
           const NodeGroups::Resource& of = groups_->resources()[each.first];
           return of.each_node || by_layer_[of.layer].fits(start_s, end_s, each.second);
         });
}

std::optional<CountedUse> NodeCounts::use(std::int64_t start_s, std::int64_t end_s,
                                          const Need& need) const {
  if (!sum(need.set).fits(start_s, end_s, need.nodes)) return std::nullopt;
  if (groups_->is_one()) return CountedUse{.parts = {}, .nodes = need.nodes};
  return divide(
      need, [&](std::uint32_t group) { return by_group_[group].free(start_s, end_s); },
      [&](std::uint32_t layer) { return by_layer_[layer].free(start_s, end_s); });
}

// All that starts before it has started, so what is free at its start stays free.
std::optional<CountedUse> NodeCounts::share(std::int64_t start_s, std::int64_t end_s,
                                            const Need& need,
                                            std::span<const std::int64_t> taken) const {
  const auto left = [&](std::size_t unit) {
    return -running_[unit].used_at(0, start_s) - taken[unit];
  };
  return divide(
      need,
      [&](std::uint32_t group) -> std::int64_t {
        for (const auto& [from_s, until_s] : groups_->groups()[group].reserved) {
          if (from_s < end_s && start_s < until_s) return 0;
        }
        return by_group_[group].usable() + left(group);
      },
      [&](std::uint32_t layer) {
        return by_layer_[layer].usable() + left(by_group_.size() + layer);
      });
}

template <class FreeNodes, class FreeAmount>
std::optional<CountedUse> NodeCounts::divide(const Need& need, FreeNodes free_nodes,
                                             FreeAmount free_amount) const {
  CountedUse out{.parts = {}, .nodes = need.nodes, .set = need.set};
  const auto first_layer = static_cast<std::uint32_t>(by_group_.size());
  for (const auto& [resource, amount] : need.amounts) {
    const NodeGroups::Resource& of = groups_->resources()[resource];
    if (of.each_node) continue;
    if (free_amount(of.layer) < amount) return std::nullopt;
    out.parts.emplace_back(first_layer + of.layer, amount);
  }
  // What is left of each layer, as groups take from it.
  std::vector<std::pair<std::uint32_t, std::int64_t>> left;
  const auto left_of = [&](std::uint32_t layer) -> std::int64_t& {
    const auto at = std::ranges::find(left, layer, [](const auto& each) { return each.first; });
    if (at != left.end()) return at->second;
    return left.emplace_back(layer, free_amount(layer)).second;
  };
  std::int64_t missing = need.nodes;
  for (const std::uint32_t g : groups_->sets()[need.set].groups) {
    std::int64_t nodes = std::min(missing, free_nodes(g));
    const auto each_layer = [&](auto visit) {
      for (const auto& [resource, amount] : need.amounts) {
        const NodeGroups::Resource& of = groups_->resources()[resource];
        if (!of.each_node) continue;
        std::uint32_t layer = groups_->groups()[g].leaves[of.leaves];
        for (; layer != NodeGroups::kNone; layer = groups_->layers()[layer].above)
          visit(layer, amount);
      }
    };
    each_layer([&](std::uint32_t layer, std::int64_t amount) {
      nodes = std::min(nodes, left_of(layer) / amount);
    });
    if (nodes <= 0) continue;
    each_layer([&](std::uint32_t layer, std::int64_t amount) {
      left_of(layer) -= nodes * amount;
      const std::uint32_t number = first_layer + layer;
      const auto at =
          std::ranges::find(out.parts, number, [](const auto& part) { return part.first; });
      if (at == out.parts.end()) {
        out.parts.emplace_back(number, nodes * amount);
      } else {
        at->second += nodes * amount;
      }
    });
    out.parts.emplace_back(g, nodes);
    missing -= nodes;
    if (missing == 0) return out;
  }
  return std::nullopt;
}

bool NodeCounts::layers_serve(std::int64_t start_s, std::int64_t end_s, const Need& need,
                              const std::vector<std::uint32_t>& nodes) const {
  for (const auto& [resource, amount] : need.amounts) {
    const NodeGroups::Resource& of = groups_->resources()[resource];
    if (!of.each_node && !by_layer_[of.layer].fits(start_s, end_s, amount)) return false;
    if (!of.each_node) continue;
    for (const std::uint32_t n : nodes) {
      const std::uint32_t g = groups_->group_of(n);
      if (g == NodeGroups::kNone) continue;
      std::uint32_t layer = groups_->groups()[g].leaves[of.leaves];
      for (; layer != NodeGroups::kNone; layer = groups_->layers()[layer].above) {
        if (by_layer_[layer].free(start_s, end_s) / amount < need.nodes) return false;
      }
    }
  }
  return true;
}

// --- Searches

// For every start before it, the least that is free of each group and layer is no more than for this
// start.
std::int64_t NodeCounts::next_chance(std::int64_t start_s, std::int64_t end_s,
                                     const Need& need) const {
  std::int64_t out = INT64_MAX;
  const auto take = [&](const UnitCounts& counts) {
    out = std::min(out, counts.more_from(start_s, end_s));
  };
  for (const std::uint32_t g : groups_->sets()[need.set].groups) {
    take(by_group_[g]);
    for (const auto& [resource, amount] : need.amounts) {
      const NodeGroups::Resource& of = groups_->resources()[resource];
      std::uint32_t layer =
          of.each_node ? groups_->groups()[g].leaves[of.leaves] : NodeGroups::kNone;
      for (; layer != NodeGroups::kNone; layer = groups_->layers()[layer].above)
        take(by_layer_[layer]);
    }
  }
  return out;
}

std::optional<std::int64_t> NodeCounts::sums_earliest(std::int64_t from_s, std::int64_t before_s,
                                                      std::int64_t duration_s,
                                                      std::int64_t horizon_s,
                                                      const Need& need) const {
  const auto& within = groups_->sets()[need.set].within;
  std::optional<std::int64_t> at = from_s;
  for (bool all = false; !all;) {  // all must hold from there
    if (*at >= before_s) return std::nullopt;
    const std::int64_t begin_s = *at;
    at = sum(need.set).earliest(*at, duration_s, horizon_s, need.nodes);
    for (std::size_t n = 1; at && n < within.size(); ++n)
      at = by_set_[within[n]].earliest(*at, duration_s, horizon_s, need.nodes);
    for (const auto& [resource, amount] : need.amounts) {
      const NodeGroups::Resource& of = groups_->resources()[resource];
      if (at && !of.each_node)
        at = by_layer_[of.layer].earliest(*at, duration_s, horizon_s, amount);
    }
    if (!at) return std::nullopt;
    all = *at == begin_s;
  }
  return at;
}

std::optional<NodeCounts::Start> NodeCounts::earliest(std::int64_t from_s, std::int64_t before_s,
                                                      std::int64_t duration_s,
                                                      std::int64_t horizon_s, const Need& need,
                                                      const ShareOut& share) const {
  before_s = std::min(before_s, horizon_s);
  if (groups_->is_one()) {
    const auto at = by_group_.front().earliest(from_s, duration_s, horizon_s, need.nodes);
    if (!at || *at >= before_s) return std::nullopt;
    return Start{
        *at, *at + std::min(duration_s, horizon_s - *at), {.parts = {}, .nodes = need.nodes}};
  }
  bool shared = share == nullptr;
  auto at = sums_earliest(from_s, before_s, duration_s, horizon_s, need);
  while (at) {
    const std::int64_t end_s = *at + std::min(duration_s, horizon_s - *at);
    auto found = use(*at, end_s, need);
    if (!found && !std::exchange(shared, true)) found = share(*at, end_s);
    if (found) return Start{*at, end_s, std::move(*found)};
    at = sums_earliest(next_chance(*at, end_s, need), before_s, duration_s, horizon_s, need);
  }
  return std::nullopt;
}

// Where not even the sums have enough, the job's own use need not be left out.
std::optional<NodeCounts::Start> NodeCounts::move_earlier(std::int64_t now_s, const Start& was,
                                                          std::int64_t duration_s,
                                                          std::int64_t horizon_s, const Need& need,
                                                          const ShareOut& share) {
  auto at = mutable_sum(need.set).earlier(now_s, was.start_s, duration_s, need.nodes);
  if (!at) return std::nullopt;
  if (groups_->is_one()) {
    Start to{*at, *at + std::min(duration_s, horizon_s - *at), was.use};
    by_group_.front().move(was.start_s, was.end_s, to.start_s, to.end_s, was.use.nodes);
    return to;
  }
  const auto& within = groups_->sets()[need.set].within;
  for (std::size_t n = 1; n < within.size(); ++n) {
    const auto of_set = by_set_[within[n]].earlier(now_s, was.start_s, duration_s, need.nodes);
    if (!of_set) return std::nullopt;
    at = std::max(at, of_set);
  }
  change(was, false, Note::nothing);
  change_sets(was, false, Note::nothing);
  auto out = earliest(*at, was.start_s, duration_s, horizon_s, need, share);
  const Start& now = out ? *out : was;
  change(now, true, Note::nothing);
  change_sets(now, true, Note::nothing);
  if (!out) return out;
  for (const std::uint32_t s : within)
    by_set_[s].moved(was.start_s, was.end_s, now.start_s, now.end_s, need.nodes);
  if (within.empty()) {
    by_group_[groups_->sets()[need.set].groups.front()].moved(was.start_s, was.end_s, now.start_s,
                                                              now.end_s, need.nodes);
  }
  return out;
}

void NodeCounts::check([[maybe_unused]] std::span<const Start> all) const {
#ifndef NDEBUG
  NodeCounts made(groups_);
  for (const Start& each : all) {
    made.add(each.start_s, each.end_s, each.use);
    std::int64_t nodes = 0;
    for (const auto& [number, amount] : each.use.parts)
      nodes += number < by_group_.size() ? amount : 0;
    assert(each.use.runs() || nodes == each.use.nodes);
  }
  assert(made.by_group_ == by_group_ && made.by_layer_ == by_layer_ && made.by_set_ == by_set_);
#endif
}

}  // namespace copse::queue
