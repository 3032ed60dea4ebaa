// SPDX-License-Identifier: Apache-2.0
//
// The value of --constraint: properties that nodes must have or, after ^, must not have, "h100,^debug"; or
// a constraint of RFC 31, in YAML or JSON.
#pragma once

#include <string>
#include <string_view>

#include "copse/request.hpp"
#include "request/tree/yaml_tree.hpp"

namespace copse {

// Errors: invalid, limit, with the place in "--constraint".
[[nodiscard]] Result<Constraint> constraint_of_words(std::string_view text);
// The same as an object of JSON.
[[nodiscard]] Result<std::string> constraint_json(std::string_view text);

// A tree of YAML as JSON: plain numbers, true, false and null unchanged, other words in quotes.
void append_tree_json(std::string& out, TreeView tree);

}  // namespace copse
