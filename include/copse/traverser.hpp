// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace copse {

// How a request's vertices are laid over the machine (docs/reference/traversers.md).
enum class Traverser : std::uint8_t {
  simple,      // one pass; siblings of one list are all wanted, and no pool may fit two of them
  flexible,    // slots side by side are alternatives, xor_slots are variants of the request
  loop_aware,  // simple, and where that finds nothing a search: see EngineOptions
  treepool,    // RFC 49: slots in the locality domains of nodes, nodes by best fit; no policy
};

}  // namespace copse
