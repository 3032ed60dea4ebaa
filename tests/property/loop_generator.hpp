// SPDX-License-Identifier: Apache-2.0
//
// Cases for the loop-aware traverser, small enough to try all ways: machines of at most 25 pools
// with nodes of several kinds, unequal sizes and types inside their own type; requests whose
// siblings want the same pools, with slots next to others, at and above the level of their contents.
#pragma once

#include "property/generator.hpp"

namespace copse::property {

[[nodiscard]] Case make_loop_case(std::uint64_t seed);

}  // namespace copse::property
