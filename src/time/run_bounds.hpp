// SPDX-License-Identifier: Apache-2.0
//
// RunBounds: upper bounds on the lengths of free runs, learned from earlier searches.
//
// A run is an interval in which some amount is free at all times. A search that looks far ahead and
// finds no run that is long enough has learned something about all of that time. It is kept here,
// so that the next search visits only times at which something was freed since. In a queue of
// promised jobs, nearly all searches find nothing.
//
// Time is cut into cells. Amounts are distinguished by rows, four to each power of two. A row and a
// cell have a bound. It grows only if something is freed, and shrinks only if a search found
// nothing.
//
// Invariants
//   1. No run of the row's amount that overlaps the cell is as long as the bound.
//   2. Nothing is known after the beginning of the last cell, nor about the past.
//
// Cost: next O(cells), at most 256, one comparison each; none O(cells of the part); freed O(rows in
// use between the amounts × cells that the new run may reach). 1 KiB for each row in use, 75 at
// most.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace copse {

class RunBounds {
 public:
  struct Part {
    std::int64_t from_s = 0, until_s = 0;
  };

  // The least amount of the row of `amount`; its bounds hold for `amount`, too.
  // REQUIRES amount > 0.
  [[nodiscard]] static std::int64_t row_amount(std::int64_t amount);

  // Whether nothing was learned yet; then calls of freed() are not needed.
  [[nodiscard]] bool empty() const { return in_use_ == 0; }
  // Something was freed in [from_s, until_s): at most `most` are free at any time now, and at least
  // `least` were free at all times before. Amounts that are taken need not be reported. REQUIRES
  // from_s < until_s.
  void freed(std::int64_t from_s, std::int64_t until_s, std::int64_t least, std::int64_t most);

  // Prepares for searches over [now_s, until_s). REQUIRES that now_s does not decrease.
  void cover(std::int64_t now_s, std::int64_t until_s);
  // The first part of [from_s, until_s) that may have a run of the duration; the part contains all
  // of such a run that is in [from_s, until_s). nullopt: there is none. REQUIRES amount > 0.
  [[nodiscard]] std::optional<Part> next(std::int64_t from_s, std::int64_t until_s,
                                         std::int64_t duration_s, std::int64_t amount) const;
  // Records that a part from next() has no run of that duration with row_amount(amount).
  void none(const Part& part, std::int64_t duration_s, std::int64_t amount);

 private:
  static constexpr std::size_t kCells = 256, kLast = kCells - 1, kRows = 75;
  static constexpr std::uint32_t kWidthMin = 10, kWidthMax = 16;  // a cell has 2^width_ seconds
  static constexpr std::int32_t kUnknown = INT32_MAX;
  using Row = std::vector<std::int32_t>;  // kCells; empty: not in use, all is unknown

  [[nodiscard]] static std::size_t row_of(std::int64_t amount);
  [[nodiscard]] static std::int64_t amount_of(std::size_t row);
  [[nodiscard]] std::size_t cell_of(std::int64_t time_s) const;
  [[nodiscard]] std::int64_t begin_of(std::size_t cell) const;
  [[nodiscard]] std::int64_t end_of(std::size_t cell) const;
  // Bounds on the free time right before and right after an interval.
  struct Around {
    std::int64_t left = INT64_MAX, right = INT64_MAX;
  };
  // `smaller`: those for a smaller amount. Returns those for this one.
  Around raise(Row& row, std::int64_t from_s, std::int64_t until_s, const Around& smaller) const;
  void forget_before(std::int64_t now_s);
  void widen();

  std::int64_t origin_s_ = 0;  // of the first cell
  std::uint32_t width_ = kWidthMin;
  std::array<Row, kRows> rows_{};
  std::size_t in_use_ = 0;  // rows
};

}  // namespace copse
