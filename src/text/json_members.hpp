// SPDX-License-Identifier: Apache-2.0
//
// Members of JSON objects as text, without a tree.
#pragma once

#include <string_view>

namespace copse {

// Takes the next value from the inside of an object or array: blanks, commas and colons before it
// are skipped. "": there is none. So an object gives keys, with their quotes, and values in turn.
// REQUIRES valid JSON. O(length of the value).
[[nodiscard]] std::string_view take_json_value(std::string_view& text);

}  // namespace copse
