// SPDX-License-Identifier: Apache-2.0
//
// TOML into the tree of tree.hpp, with toml++, which a build may lack.
//
// Strings count as quoted. Integers, truth values, dates and times are plain, with their canonical
// text: 0x10 is 16. A float is plain and has a point, an exponent, or is inf or nan, so that it
// differs from an integer. The keys of a table are sorted.
#pragma once

#include <string_view>

#include "text/tree/tree.hpp"

namespace copse {

// Errors: invalid with line and column; limit (64 MiB, the depth of trees); unsupported if Copse was
// built without toml++. Cost: O(length of the text · log).
[[nodiscard]] Result<Tree> read_toml_tree(std::string_view text, std::string_view file);

}  // namespace copse
