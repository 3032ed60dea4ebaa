// SPDX-License-Identifier: Apache-2.0
//
// Cases for the loop-aware traverser, small enough to try all placements: machines of at most 25
// pools with several types of nodes, unequal sizes and types inside their own type; requests whose
// siblings compete for pools, with slots next to others, at and above the level of their contents.
#pragma once

#include "property/generator.hpp"

namespace copse::property {

[[nodiscard]] Case make_loop_case(std::uint64_t seed);

}  // namespace copse::property
