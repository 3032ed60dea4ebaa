// SPDX-License-Identifier: Apache-2.0
//
// Cases with pools that have several parents: racks with nodes and shelves, stores of shelves, at
// most 60 pools; further edges at random, added before or after those of the tree. Events of all
// kinds, as in make_change_case. The oracle supports trees only: it is checked that no unit is
// granted twice on any path, that the state is restored, and that a rebuilt twin agrees.
#pragma once

#include "property/generator.hpp"

namespace copse::property {

[[nodiscard]] Case make_ways_case(std::uint64_t seed);

}  // namespace copse::property
