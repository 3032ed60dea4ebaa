// SPDX-License-Identifier: Apache-2.0
//
// One `topo` of RFC 49: the tree of locality domains of a node. See treepool.hpp.
#pragma once

#include <cstdint>

#include "copse/layout.hpp"
#include "formats/rv1/treepool.hpp"
#include "text/json_walk.hpp"

namespace copse {

// Reads a topo into an empty layout. False once something was refused, as JsonWalk does. `domains`:
// those read so far, of all layouts. The recursion is bounded by limits.depth_max.
[[nodiscard]] bool read_topo(JsonWalk& walk, JsonWalk::Value& value, const JsonWalk::Token& token,
                             const TreepoolLimits& limits, std::uint32_t& domains, Layout& out);

}  // namespace copse
