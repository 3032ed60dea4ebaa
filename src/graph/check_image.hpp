// SPDX-License-Identifier: Apache-2.0
//
// What a graph asks of its image, before it believes any of it.
#pragma once

#include <string>

#include "graph/graph_image.hpp"

namespace copse {

// Whether every index is of something there, columns are equally long, and the tree is one.
// Errors: invalid, naming what breaks which rule; limit. O(pools + edges).
[[nodiscard]] Result<void> check_image(const GraphImage& image);

// That error. `text`: which rule.
[[nodiscard]] std::unexpected<Error> broken_image(std::string text);

}  // namespace copse
