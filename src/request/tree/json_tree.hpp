// SPDX-License-Identifier: Apache-2.0
//
// Strict JSON into the tree of yaml_tree.hpp, with simdjson.
//
// Strings count as quoted; numbers, true, false and null as plain, with the text as written, so
// that 1e400 is left to whoever reads the number.
#pragma once

#include <optional>
#include <string_view>

#include "request/tree/yaml_tree.hpp"

namespace copse {

// Is the first character that is not blank an opening brace?
[[nodiscard]] bool looks_like_json(std::string_view text);

// nullopt: this is not strict JSON. Errors: limit, or a key given twice, as of TreeBuilder.
// REQUIRES valid UTF-8. Cost: O(length of the text).
[[nodiscard]] std::optional<Result<Tree>> read_json_tree(std::string_view text,
                                                         std::string_view file,
                                                         const JobspecLimits& limits);

}  // namespace copse
