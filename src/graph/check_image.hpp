// SPDX-License-Identifier: Apache-2.0
//
// Validation of a graph image. Images are untrusted.
#pragma once

#include <string>

#include "graph/graph_image.hpp"

namespace copse {

// Checks that every index is valid, that columns have equal lengths, and that the tree is a tree.
// Errors: invalid, naming the rule and what breaks it; limit. O(pools + edges).
[[nodiscard]] Result<void> check_image(const GraphImage& image);

// Makes that error. `text`: the rule.
[[nodiscard]] std::unexpected<Error> broken_image(std::string text);

}  // namespace copse
