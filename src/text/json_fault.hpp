// SPDX-License-Identifier: Apache-2.0
//
// Where a text stops to be JSON, and why: for messages, after a reader has refused it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace copse {

inline constexpr std::string_view kJsonBlanks = " \t\r\n";

struct JsonFault {
  std::size_t offset = 0;
  std::string text;  // "a comma is missing before \"b\""
};

// The first fault of the value that the text begins with, blanks aside: of its braces, commas,
// colons, keys and words. Nothing: none of these is wrong, or 10,000 braces are open. O(length).
[[nodiscard]] std::optional<JsonFault> find_json_fault(std::string_view text);

// The same of a text that is to be one value: nothing may follow it.
[[nodiscard]] std::optional<JsonFault> find_json_fault_of_line(std::string_view line);

}  // namespace copse
