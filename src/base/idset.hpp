// SPDX-License-Identifier: Apache-2.0
//
// Idsets: sets of non-negative integers as text, "0-3,7" or "[0-3,7]" (RFC 22).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "copse/error.hpp"

namespace copse {

// A set of ids as closed ranges. Invariant: ranges ascend, are disjoint and not adjacent.
// Cost: 16 bytes per range; an idset of 4 billion ids in one range is one range.
class Idset {
 public:
  static constexpr std::int64_t kIdMax = INT64_C(1) << 62;  // exclusive bound of an id
  using Range = std::pair<std::int64_t, std::int64_t>;      // first, last (both in the set)

  // Parses RFC 22 text; "" and "[]" are the empty set. Ids must ascend and not overlap.
  // Errors: invalid (with the column), limit (more than `ranges_max` ranges, id >= kIdMax).
  [[nodiscard]] static Result<Idset> parse(std::string_view text,
                                           std::size_t ranges_max = 1u << 22);

  void add(std::int64_t id) { add_range(id, id); }
  // REQUIRES 0 <= first <= last < kIdMax. O(1) when appended at the end, else O(ranges).
  void add_range(std::int64_t first, std::int64_t last);
  [[nodiscard]] bool contains(std::int64_t id) const;  // O(log ranges)
  [[nodiscard]] std::int64_t count() const;            // O(ranges)
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

  // "0-3,7"; with brackets "[0-3,7]" unless the set is one id (RFC 22, compact form).
  [[nodiscard]] std::string text(bool brackets = false) const;
  void append_text(std::string& out) const;  // the form without brackets, no allocation of its own

  bool operator==(const Idset&) const = default;

 private:
  std::vector<Range> ranges_;
};

}  // namespace copse
