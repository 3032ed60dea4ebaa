// SPDX-License-Identifier: Apache-2.0
//
// Checked values of a line of JSON: a job of a stream, or a reservation. Errors: invalid, at the value.
#pragma once

#include <cstdint>
#include <string_view>

#include "copse/error.hpp"
#include "text/tree/tree.hpp"

namespace copse {

inline constexpr std::size_t kNameBytesMax = 256;

// The error for a line that is not one JSON value, at the first wrong column; `what` names the
// expected value. The place has the column only.
[[nodiscard]] Error not_json(std::string_view line, std::string_view what);
// The error for a line that is not UTF-8. REQUIRES that it is not.
[[nodiscard]] Error not_utf8(std::string_view line);

// Seconds from `least` to kTimeMax_s: a number, or a text (base/duration.hpp).
[[nodiscard]] Result<std::int64_t> line_seconds(std::string_view key, TreeView value,
                                                std::int64_t least);

}  // namespace copse
