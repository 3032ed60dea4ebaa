// SPDX-License-Identifier: Apache-2.0
//
// Counts as text: "4", a range of RFC 45 ("2-8:2:*", "2+") or an idset of counts ("1,3-5", RFC 22).
//
// A count is at least 1, without sign and leading zeros; the whole may be in brackets. What has
// one meaning has one Count: "3-3" is 3, "2,3,4" is 2-4, "2-5:1:+" is 2-5; and count_text() writes
// the shortest of them. Source: RFC 14, *Resources* (`count`), RFC 45.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "copse/request.hpp"

namespace copse {

inline constexpr std::int64_t kCountMax = INT64_MAX / 4;  // sums of a few counts do not overflow
inline constexpr std::size_t kCountRangesMax = 4096;      // of one set

// The count at text[at]; `at` moves after it. On an error, `at` is where it is, and
// the error has no place. Errors: invalid, limit. O(length of the count).
// REQUIRES at <= text.size().
[[nodiscard]] Result<Count> read_count_text(std::string_view text, std::size_t& at);

// A text that is one count. Errors: as above, with the column.
[[nodiscard]] Result<Count> parse_count(std::string_view text);

// Whether no integer and no mapping of Fluxion's jobspecs (`min` alone, or `min`, `max`, `operator`
// and `operand`) can say it: a set, or steps without end.
[[nodiscard]] inline bool needs_text(const Count& count) {
  const bool steps = count.op != '+' || count.operand != 1;
  return count.set != nullptr || (count.max == Count::kUnlimited && steps);
}

// REQUIRES a count that keeps its invariants, of at least 1. O(length of the text).
[[nodiscard]] std::string count_text(const Count& count);

}  // namespace copse
