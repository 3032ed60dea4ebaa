// SPDX-License-Identifier: Apache-2.0
#include "queue/counts/counted_use.hpp"

#include <algorithm>

namespace copse::queue {

namespace {

// Without layers.
CountedUse count_groups(const NodeGroups& groups, const std::vector<std::uint32_t>& nodes,
                        std::vector<std::int64_t>& in_group) {
  CountedUse out;
  in_group.assign(groups.groups().size(), 0);
  for (const std::uint32_t n : nodes) {
    const std::uint32_t g = groups.group_of(n);
    if (g == NodeGroups::kNone) continue;
    ++out.nodes;
    ++in_group[g];
  }
  if (groups.is_one()) return out;
  for (std::uint32_t g = 0; g < in_group.size(); ++g) {
    if (in_group[g] > 0) out.parts.emplace_back(g, in_group[g]);
  }
  // Without a usable node it has none of the first group.
  if (out.parts.empty()) out.parts.emplace_back(0, 0);
  return out;
}

void add_layers(const NodeGroups& groups, const std::vector<std::int64_t>& in_layer,
                CountedUse& use) {
  const auto first = static_cast<std::uint32_t>(groups.groups().size());
  for (std::uint32_t l = 0; l < in_layer.size(); ++l) {
    if (in_layer[l] > 0) use.parts.emplace_back(first + l, in_layer[l]);
  }
}

}  // namespace

CountedUse promised_use(const NodeGroups& groups, const std::vector<std::uint32_t>& nodes,
                        const CountedNeed& need) {
  std::vector<std::int64_t> in_group, in_layer(groups.layers().size(), 0);
  CountedUse out = count_groups(groups, nodes, in_group);
  if (!groups.is_one()) out.set = need.set;
  for (const auto& [resource, amount] : need.amounts) {
    const NodeGroups::Resource& of = groups.resources()[resource];
    if (!of.each_node) in_layer[of.layer] += amount;
    for (std::uint32_t g = 0; of.each_node && g < in_group.size(); ++g) {
      std::uint32_t layer = groups.groups()[g].leaves[of.leaves];
      for (; layer != NodeGroups::kNone; layer = groups.layers()[layer].above)
        in_layer[layer] += amount * in_group[g];
    }
  }
  add_layers(groups, in_layer, out);
  return out;
}

CountedUse running_use(const NodeGroups& groups, const std::vector<std::uint32_t>& nodes,
                       std::span<const LayerCharge> charges) {
  std::vector<std::int64_t> in_group, in_layer(groups.layers().size(), 0);
  CountedUse out = count_groups(groups, nodes, in_group);
  for (const LayerCharge& charge : charges) {
    const auto at = std::ranges::find(groups.layers(), charge.layer, &NodeGroups::Layer::number);
    if (at != groups.layers().end())
      in_layer[static_cast<std::size_t>(at - groups.layers().begin())] += charge.amount;
  }
  add_layers(groups, in_layer, out);
  return out;
}

}  // namespace copse::queue
