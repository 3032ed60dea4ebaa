// SPDX-License-Identifier: Apache-2.0
//
// Text for a terminal. Names of files, ids and words of an input may have control characters, which
// would move the cursor, colour the screen or hide what follows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace copse {

enum class LineEnds : std::uint8_t { keep, escape };

// The text with its control characters (C0 but for line ends that are kept, DEL, C1) and bytes that
// are not UTF-8 as escapes: `\n`, `\t`, `\x1b`. O(length).
[[nodiscard]] std::string printable(std::string_view text, LineEnds line_ends);

}  // namespace copse
