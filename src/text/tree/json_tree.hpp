// SPDX-License-Identifier: Apache-2.0
//
// Strict JSON into the tree of tree.hpp, with simdjson.
//
// Strings count as quoted; numbers, true, false and null as plain, with the text as written, so
// that the reader of the number decides about 1e400.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/tree/tree.hpp"

namespace copse {

// Is the first character that is not blank an opening brace?
[[nodiscard]] bool looks_like_json(std::string_view text);

// nullopt: this is not strict JSON. Errors: limit, or a key given twice, as of TreeBuilder.
// REQUIRES valid UTF-8. Cost: O(length of the text).
[[nodiscard]] std::optional<Result<Tree>> read_json_tree(std::string_view text,
                                                         std::string_view file,
                                                         const TreeLimits& limits = {});

// The node as JSON. Words without quotes that JSON does not have become strings. Equal nodes give equal
// texts. Recursion is bounded by the depth of trees.
void append_json(std::string& out, TreeView node);

// A text that must be one strict JSON object. Errors: invalid (also: not UTF-8), limit.
[[nodiscard]] Result<Tree> read_json_object(std::string_view text, const TreeLimits& limits = {});

}  // namespace copse
