// SPDX-License-Identifier: Apache-2.0
//
// Rows "a core and 4,000 MB of the node's memory, until full", beside rows with the core alone, on
// nodes of 32 cores and 128,000 MB in one divisible pool.
#include "fill.hpp"
#include "jobs.hpp"

namespace copse::bench {
namespace {

Part with_memory(std::int64_t nodes) {
  Part machine = flat(nodes);
  machine.parts.front().parts.push_back(
      {.type = "memory", .basename = "memory", .size = 128'000, .unit = "MB", .divisible = true});
  return machine;
}

const bool registered = [] {
  for (const std::int64_t nodes : {1'000, 10'000}) {
    for (const char* policy : {"first", "low", "high"}) {
      const std::string end = std::string(policy) + "/flat32_memory/" + std::to_string(nodes);
      register_fill(
          {"core_and_memory/" + end, policy, with_memory, nodes, {core_and_memory(4'000)}});
      register_fill({"core_beside_memory/" + end, policy, with_memory, nodes, {cores_in_node(1)}});
    }
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
