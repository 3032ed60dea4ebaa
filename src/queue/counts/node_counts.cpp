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
  const auto& groups = groups_->sets()[set].groups;
  return groups.size() == 1 ? by_group_[groups.front()] : by_set_[set];
}

UnitCounts& NodeCounts::mutable_sum(std::uint32_t set) {
  const auto& groups = groups_->sets()[set].groups;
  return groups.size() == 1 ? by_group_[groups.front()] : by_set_[set];
}

// --- Changes

void NodeCounts::add(std::int64_t start_s, std::int64_t end_s, const CountedUse& use) {
  if (use.parts.empty()) return by_group_.front().add(start_s, end_s, use.nodes);
  change({start_s, end_s, use}, true, Note::nothing);
}

void NodeCounts::remove(std::int64_t start_s, std::int64_t end_s, const CountedUse& use) {
  if (use.parts.empty()) return by_group_.front().remove(start_s, end_s, use.nodes, Note::freed);
  change({start_s, end_s, use}, false, Note::freed);
}

void NodeCounts::move(const Start& from, const Start& to) {
  if (from.use.parts.empty()) {
    by_group_.front().move(from.start_s, from.end_s, to.start_s, to.end_s, from.use.nodes);
    return;
  }
  change(from, false, Note::freed);
  change(to, true, Note::nothing);
}

void NodeCounts::change(const Start& at, bool more, Note note) {
  for (const auto& [number, amount] : at.use.parts) {
    if (number < by_group_.size()) {
      // The times in which its nodes are not reserved.
      std::int64_t from_s = at.start_s;
      for (const auto& [reserved_s, until_s] : groups_->groups()[number].reserved) {
        if (until_s <= from_s) continue;
        if (reserved_s >= at.end_s) break;
        if (from_s < reserved_s) change_group(number, from_s, reserved_s, amount, more, note);
        from_s = until_s;
      }
      if (from_s < at.end_s) change_group(number, from_s, at.end_s, amount, more, note);
      continue;
    }
    UnitCounts& layer = by_layer_[number - by_group_.size()];
    more ? layer.add(at.start_s, at.end_s, amount)
         : layer.remove(at.start_s, at.end_s, amount, note);
  }
}

void NodeCounts::change_group(std::uint32_t group, std::int64_t start_s, std::int64_t end_s,
                              std::int64_t nodes, bool more, Note note) {
  const auto change = [&](UnitCounts& counts) {
    more ? counts.add(start_s, end_s, nodes) : counts.remove(start_s, end_s, nodes, note);
  };
  change(by_group_[group]);
  for (const std::uint32_t s : groups_->groups()[group].sets) change(by_set_[s]);
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

std::optional<CountedUse> NodeCounts::use(std::int64_t start_s, std::int64_t end_s,
                                          const Need& need) const {
  if (!sum(need.set).fits(start_s, end_s, need.nodes)) return std::nullopt;
  CountedUse out{.nodes = need.nodes};
  if (groups_->is_one()) return out;
  if (!add_amounts(start_s, end_s, need, out)) return std::nullopt;

  // What is left of each layer, as groups take from it.
  std::vector<std::pair<std::uint32_t, std::int64_t>> left;
  const auto left_of = [&](std::uint32_t layer) -> std::int64_t& {
    const auto at = std::ranges::find(left, layer, [](const auto& each) { return each.first; });
    if (at != left.end()) return at->second;
    return left.emplace_back(layer, by_layer_[layer].free(start_s, end_s)).second;
  };
  std::int64_t missing = need.nodes;
  for (const std::uint32_t g : groups_->sets()[need.set].groups) {
    std::int64_t nodes = std::min(missing, by_group_[g].free(start_s, end_s));
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
      const auto number = static_cast<std::uint32_t>(by_group_.size()) + layer;
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

// Of layers that are charged once for a job; false: there is too little.
bool NodeCounts::add_amounts(std::int64_t start_s, std::int64_t end_s, const Need& need,
                             CountedUse& use) const {
  for (const auto& [resource, amount] : need.amounts) {
    const NodeGroups::Resource& of = groups_->resources()[resource];
    if (of.each_node) continue;
    if (!by_layer_[of.layer].fits(start_s, end_s, amount)) return false;
    use.parts.emplace_back(static_cast<std::uint32_t>(by_group_.size()) + of.layer, amount);
  }
  return true;
}

bool NodeCounts::layers_serve(std::int64_t start_s, std::int64_t end_s, const Need& need,
                              const std::vector<std::uint32_t>& nodes) const {
  CountedUse once;
  if (!add_amounts(start_s, end_s, need, once)) return false;
  for (const auto& [resource, amount] : need.amounts) {
    const NodeGroups::Resource& of = groups_->resources()[resource];
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

// Without layers.
CountedUse NodeCounts::count_groups(const std::vector<std::uint32_t>& nodes,
                                    std::vector<std::int64_t>& in_group) const {
  CountedUse out;
  in_group.assign(by_group_.size(), 0);
  for (const std::uint32_t n : nodes) {
    const std::uint32_t g = groups_->group_of(n);
    if (g == NodeGroups::kNone) continue;
    ++out.nodes;
    ++in_group[g];
  }
  if (groups_->is_one()) return out;
  for (std::uint32_t g = 0; g < in_group.size(); ++g) {
    if (in_group[g] > 0) out.parts.emplace_back(g, in_group[g]);
  }
  // Without a usable node it has none of the first group.
  if (out.parts.empty()) out.parts.emplace_back(0, 0);
  return out;
}

void NodeCounts::add_layers(const std::vector<std::int64_t>& in_layer, CountedUse& use) const {
  const auto first = static_cast<std::uint32_t>(by_group_.size());
  for (std::uint32_t l = 0; l < in_layer.size(); ++l) {
    if (in_layer[l] > 0) use.parts.emplace_back(first + l, in_layer[l]);
  }
}

CountedUse NodeCounts::use_of(const std::vector<std::uint32_t>& nodes, const Need& need) const {
  std::vector<std::int64_t> in_group, in_layer(by_layer_.size(), 0);
  CountedUse out = count_groups(nodes, in_group);
  for (const auto& [resource, amount] : need.amounts) {
    const NodeGroups::Resource& of = groups_->resources()[resource];
    if (!of.each_node) in_layer[of.layer] += amount;
    for (std::uint32_t g = 0; of.each_node && g < in_group.size(); ++g) {
      std::uint32_t layer = groups_->groups()[g].leaves[of.leaves];
      for (; layer != NodeGroups::kNone; layer = groups_->layers()[layer].above)
        in_layer[layer] += amount * in_group[g];
    }
  }
  add_layers(in_layer, out);
  return out;
}

CountedUse NodeCounts::use_of(const std::vector<std::uint32_t>& nodes,
                              std::span<const LayerCharge> charges) const {
  std::vector<std::int64_t> in_group, in_layer(by_layer_.size(), 0);
  CountedUse out = count_groups(nodes, in_group);
  for (const LayerCharge& charge : charges) {
    const auto at = std::ranges::find(groups_->layers(), charge.layer, &NodeGroups::Layer::number);
    if (at != groups_->layers().end())
      in_layer[static_cast<std::size_t>(at - groups_->layers().begin())] += charge.amount;
  }
  add_layers(in_layer, out);
  return out;
}

// --- Searches

// The first change after a time from which more may be free.
std::optional<std::int64_t> NodeCounts::next_change(std::int64_t time_s, const Need& need) const {
  std::optional<std::int64_t> out;
  const auto take = [&](const UnitCounts& counts) {
    const auto at = counts.next_change(time_s);
    if (at) out = out ? std::min(*out, *at) : *at;
  };
  for (const std::uint32_t g : groups_->sets()[need.set].groups) {
    take(by_group_[g]);
    for (const auto& [resource, amount] : need.amounts) {
      const NodeGroups::Resource& of = groups_->resources()[resource];
      std::uint32_t layer = of.each_node ? groups_->groups()[g].leaves[of.leaves] : of.layer;
      for (; layer != NodeGroups::kNone; layer = groups_->layers()[layer].above)
        take(by_layer_[layer]);
    }
  }
  return out;
}

// The sum of the groups, and layers that are charged once, exclude most times; groups decide.
std::optional<NodeCounts::Start> NodeCounts::first_fit(std::int64_t from_s, std::int64_t before_s,
                                                       std::int64_t duration_s,
                                                       std::int64_t horizon_s,
                                                       const Need& need) const {
  std::optional<std::int64_t> at = from_s;
  while (at && *at < before_s) {
    from_s = *at;
    at = sum(need.set).earliest(from_s, duration_s, horizon_s, need.nodes);
    for (const auto& [resource, amount] : need.amounts) {
      const NodeGroups::Resource& of = groups_->resources()[resource];
      if (at && !of.each_node)
        at = by_layer_[of.layer].earliest(*at, duration_s, horizon_s, amount);
    }
    if (!at || *at >= before_s) break;
    if (*at != from_s) continue;  // both must hold from there
    const std::int64_t end_s = *at + std::min(duration_s, horizon_s - *at);
    if (auto found = use(*at, end_s, need)) return Start{*at, end_s, std::move(*found)};
    at = next_change(*at + 1, need);
  }
  return std::nullopt;
}

std::optional<NodeCounts::Start> NodeCounts::earliest(std::int64_t from_s, std::int64_t duration_s,
                                                      std::int64_t horizon_s,
                                                      const Need& need) const {
  if (!groups_->is_one()) return first_fit(from_s, horizon_s, duration_s, horizon_s, need);
  const auto at = by_group_.front().earliest(from_s, duration_s, horizon_s, need.nodes);
  if (!at) return std::nullopt;
  return Start{*at, *at + std::min(duration_s, horizon_s - *at), {.nodes = need.nodes}};
}

// Where not even the sum of the groups has enough, the job's own use need not be left out.
std::optional<NodeCounts::Start> NodeCounts::earlier(std::int64_t now_s, const Start& was,
                                                     std::int64_t duration_s,
                                                     std::int64_t horizon_s, const Need& need) {
  const auto at = mutable_sum(need.set).earlier(now_s, was.start_s, duration_s, need.nodes);
  if (!at) return std::nullopt;
  if (groups_->is_one()) return Start{*at, *at + std::min(duration_s, horizon_s - *at), was.use};
  change(was, false, Note::nothing);
  auto out = first_fit(*at, was.start_s, duration_s, horizon_s, need);
  change(was, true, Note::nothing);
  return out;
}

}  // namespace copse::queue
