// SPDX-License-Identifier: Apache-2.0
//
// Cases of machines where pools have several parents: racks with nodes and shelves, stores of
// shelves, of at most 60 pools; further edges at random, made before or after those of the tree.
// Events of all kinds, as in make_change_case. The oracle knows trees only: the law is that no
// unit is granted twice on any way, that the state comes back, and that a rebuilt twin agrees.
#pragma once

#include "property/generator.hpp"

namespace copse::property {

[[nodiscard]] Case make_ways_case(std::uint64_t seed);

}  // namespace copse::property
