// SPDX-License-Identifier: Apache-2.0
//
// One `topo` of RFC 49: the tree of locality domains of a node. See treepool.hpp.
#pragma once

#include <cstdint>

#include "copse/layout.hpp"
#include "formats/rv1/rv1_values.hpp"

namespace copse {

// Reads a topo into an empty layout. False once something was refused, as JsonWalk does. `domains`
// counts those of all layouts so far. REQUIRES values.limits.layouts, which bounds the recursion.
[[nodiscard]] bool read_topo(RValues& values, RValues::Value& value, const RValues::Token& token,
                             std::uint32_t& domains, Layout& out);

}  // namespace copse
