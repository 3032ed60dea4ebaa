// SPDX-License-Identifier: Apache-2.0
#include "hres/availability/layer_needs.hpp"

#include <algorithm>

namespace copse {

void LayerNeeds::assign(std::span<const HresNeed> needs) {
  needs_.assign(needs.begin(), needs.end());
  counts_.clear();
  for (const HresNeed& need : needs_) {
    counts_.push_back(need.kinds == HresNeed::kSame ? nullptr : &table(need));
  }
}

std::uint32_t LayerNeeds::trees() const {
  std::uint32_t out = 0;
  for (std::size_t n = 0; n < size(); ++n) out += by_node(n) ? 1 : 0;
  return out;
}

bool LayerNeeds::uneven() const {
  return std::ranges::any_of(counts_, [](const auto* counts) { return counts != nullptr; });
}

const std::vector<std::int64_t>& LayerNeeds::table(const HresNeed& need) {
  const std::uint32_t nodes = hres_.numbers().count();
  auto at = std::ranges::find_if(tables_, [&](const Table& t) {
    return t.resource == need.resource && t.kinds == need.kinds;
  });
  const bool made = at != tables_.end();
  Table& out = made ? *at : tables_.emplace_back(Table{need.resource, need.kinds});
  if (made && out.properties_version == graph_.properties_version() &&
      out.structure == hres_.structure() && out.counts.size() == nodes) {
    return out.counts;
  }
  const HresTable::Resource::Kinds& kinds = hres_.resources()[need.resource].kinds[need.kinds];
  out.properties_version = graph_.properties_version();
  out.structure = hres_.structure();
  out.counts.assign(nodes, kinds.otherwise);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const PoolId pool = hres_.numbers().pool(node);
    const auto* properties = pool == kNoPool ? nullptr : graph_.properties(pool);
    if (properties == nullptr) continue;
    for (const auto& [property, value] : kinds.values) {
      if (!properties->contains(property)) continue;
      out.counts[node] = value;
      break;
    }
  }
  return out.counts;
}

}  // namespace copse
