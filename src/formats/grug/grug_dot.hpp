// SPDX-License-Identifier: Apache-2.0
//
// A GRUG recipe as a picture: text for Graphviz's dot. The recipe is drawn, not what it generates.
#pragma once

#include <string>

#include "formats/grug/grug_recipe.hpp"

namespace copse::grug {

// basic: vertices show their basename, edges their relation ("contains").
// more: vertices show subsystem:basename:size, edges relation:gen_method:multi_scale.
enum class DotDetail : std::uint8_t { basic, more };

// One line for each vertex in order of declaration, then one for each edge, grouped by source.
// Cost: O(length of the result).
[[nodiscard]] std::string to_dot(const Recipe& recipe, DotDetail detail = DotDetail::basic);

}  // namespace copse::grug
