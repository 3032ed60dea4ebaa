// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace copse {

// How the vertices of a request are mapped to pools (docs/reference/traversers.md).
enum class Traverser : std::uint8_t {
  simple,    // a single pass; siblings of a list are all required, and must not fit the same pools
  flexible,  // sibling slots are alternatives, xor_slots are variants of the request
  loop_aware,  // simple; if that finds nothing, a search with a limit
               // (EngineOptions::search_pools_max)
  treepool,    // RFC 49: slots in the locality domains of nodes, nodes by best fit; no policy
};

}  // namespace copse
