// SPDX-License-Identifier: Apache-2.0
//
// A custom policy: the coolest nodes first. CMakeLists.txt builds it. Then run
//   copse match -L examples/machines/desk.graphml -P ./coolest.so examples/jobspecs/desk-whole-node.yaml
#include <algorithm>
#include <charconv>

#include "copse/plugin.hpp"

namespace {

// A node's temperature is its property `celsius`; one without a measurement comes last. All other
// pools are ordered by id, low first.
copse::Score coolest(copse::GraphView graph, copse::PoolId pool) {
  if (graph.type(pool) != "node") return graph.id(pool) + 2;
  copse::Score celsius = 1000;
  if (const auto measured = graph.property(pool, "celsius")) {
    std::from_chars(measured->data(), measured->data() + measured->size(), celsius);
  }
  return 1 + std::max<copse::Score>(celsius, 0);
}

}  // namespace

COPSE_PLUGIN(
    {.name = "coolest", .summary = "coolest nodes first", .prefer_high = false, .score = coolest})
