// SPDX-License-Identifier: Apache-2.0
//
// A policy of one's own: the coolest nodes first. Build it with the project, then
//   build/release/examples/policies/resource-query-coolest -L machine.graphml -P coolest
//   resource-query> set-property /cluster0/node3 celsius=41
#include <algorithm>
#include <array>
#include <charconv>

#include "copse/policy.hpp"
#include "tools/resource_query/resource_query.hpp"

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

int main(int argc, char** argv) {
  const std::array own{copse::Policy{
      .name = "coolest", .summary = "coolest nodes first", .prefer_high = false, .score = coolest}};
  return copse::resource_query(argc, argv, own);
}
