// SPDX-License-Identifier: Apache-2.0
#include "property/own_policies.hpp"

#include <cstddef>

namespace copse::property {

namespace {

Score dice(const ResourceGraph& graph, PoolId pool) {
  const ResourceGraph::Attributes* properties = graph.properties(pool);
  const auto has = [&](const char* key) {
    return properties != nullptr && properties->contains(key);
  };
  return static_cast<Score>(graph.uniq_id(pool) * 7 % 11) + (has("fast") ? 6 : 0) -
         (has("slow") ? 9 : 0);
}

}  // namespace

Machine with_classes(Machine machine) {
  static constexpr const char* kWords[] = {"0", "1", "1", "2", "17", "9999", "10000", "-3", "fast"};
  for (std::size_t v = 0; v < machine.pools.size(); ++v) {
    const std::size_t dice = v * 2'654'435'761U >> 7;
    if (dice % 3 != 0) machine.pools[v].properties["perf_class"] = kWords[dice / 3 % 9];
  }
  return machine;
}

std::span<const Policy> own_policies() {
  static const Policy policies[] = {
      {.name = "dice-high", .score = dice},
      {.name = "dice-low", .prefer_high = false, .score = dice},
  };
  return policies;
}

}  // namespace copse::property
