// SPDX-License-Identifier: Apache-2.0
//
// A policy of one's own: the coolest nodes first. CMakeLists.txt says how to build it; then
//   copse match -L examples/machines/desk.graphml -P ./coolest.so examples/jobspecs/desk-whole-node.yaml
#include <algorithm>
#include <charconv>

#include "copse/plugin.hpp"

namespace {

// A node's temperature is its property `celsius`; one that nobody measured comes last. Everything
// else goes by id, low first.
copse::Score coolest(const copse::ResourceGraph& graph, copse::PoolId pool) {
  if (graph.type_name(pool) != "node") return graph.id(pool) + 2;
  copse::Score celsius = 1000;
  if (const auto* properties = graph.properties(pool)) {
    if (auto it = properties->find("celsius"); it != properties->end()) {
      std::from_chars(it->second.data(), it->second.data() + it->second.size(), celsius);
    }
  }
  return 1 + std::max<copse::Score>(celsius, 0);
}

}  // namespace

COPSE_PLUGIN(
    {.name = "coolest", .summary = "coolest nodes first", .prefer_high = false, .score = coolest})
