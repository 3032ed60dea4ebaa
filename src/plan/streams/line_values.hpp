// SPDX-License-Identifier: Apache-2.0
//
// Checked values of a line of a stream (job_reader.hpp). Errors: invalid, at the value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "copse/error.hpp"
#include "request/tree/yaml_tree.hpp"

namespace copse::plan {

inline constexpr std::size_t kNameBytesMax = 256;

// The jobs of a stream by name; the names live as long as the jobs.
using JobNumbers = std::unordered_map<std::string_view, std::uint32_t>;

// The error for a line that is not one JSON value, at the first wrong column; `what` names the
// expected value. The place has the column only.
[[nodiscard]] Error not_json(std::string_view line, std::string_view what);
// The error for a line that is not UTF-8. REQUIRES that it is not.
[[nodiscard]] Error not_utf8(std::string_view line);

// A whole number from `least` to `most`. `key` names it in messages.
[[nodiscard]] Result<std::int64_t> line_number(std::string_view key, TreeView value,
                                               std::int64_t least, std::int64_t most);
// Seconds from `least` to kTimeMax_s: a number, or a text (base/duration.hpp).
[[nodiscard]] Result<std::int64_t> line_seconds(std::string_view key, TreeView value,
                                                std::int64_t least);
// A text, a number or a boolean, of at most kNameBytesMax bytes.
[[nodiscard]] Result<std::string> line_name(std::string_view key, TreeView value);

}  // namespace copse::plan
