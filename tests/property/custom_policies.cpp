// SPDX-License-Identifier: Apache-2.0
#include "property/custom_policies.hpp"

#include <cstddef>
#include <string_view>

#include "copse/policy/visit.hpp"

namespace copse::property {

namespace {

Score dice(GraphView graph, PoolId pool) {
  const auto has = [&](std::string_view key) { return graph.property(pool, key).has_value(); };
  return static_cast<Score>(graph.uniq_id(pool) * 7 % 11) + (has("fast") ? 6 : 0) -
         (has("slow") ? 9 : 0);
}

// The policies high and low as visits, in the manner of resource-query's documentation.
Score by_id(Visit& visit) {
  for (const WantedPools& wanted : visit.below()) {
    if (wanted.takes == 0) return 0;
    visit.choose_best(wanted.type, wanted.takes);
  }
  if (visit.event == Visit::Event::slot) return visit.score;
  return visit.event == Visit::Event::request ? 1 : visit.graph.id(visit.pool) + 2;
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

std::span<const Policy> custom_policies() {
  static const Policy policies[] = {
      {.name = "dice-high", .score = dice},
      {.name = "dice-low", .prefer_high = false, .score = dice},
      {.name = "visits-high", .visit = by_id},
      {.name = "visits-low", .prefer_high = false, .visit = by_id},
  };
  return policies;
}

}  // namespace copse::property
