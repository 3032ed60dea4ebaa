// SPDX-License-Identifier: Apache-2.0
//
// RunBounds: how long the free runs of a time are at most, as far as searches have shown.
//
// A run is a stretch of time at all times of which some amount is free. A search that looks far ahead
// and finds no run that is long enough has found out something about all of that time. Here it is
// kept, so that the next search looks only where something was freed since: in a queue of promised
// jobs, nearly all searches find nothing.
//
// Time is cut into cells. Amounts are distinguished by rows, four to each power of two. For a row
// and a cell there is a bound, which only grows where something is freed, and only shrinks where a
// search found nothing.
//
// Invariants
//   1. No run of the row's amount that has some of the cell is as long as the bound.
//   2. Of what is behind the last cell's beginning, nothing is known. Of the past nothing is said.
//
// Cost: next O(cells), 256 at most, but a comparison each; none O(cells of the part); freed O(rows in
// use between the amounts × cells that the new run may reach). 1 KiB for each row in use, 75 at most.
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

  // The least amount of the row that `amount` is in; what is said of that holds for `amount`, too.
  // REQUIRES amount > 0.
  [[nodiscard]] static std::int64_t row_amount(std::int64_t amount);

  // Whether nothing was found out yet, so that nothing need be told.
  [[nodiscard]] bool empty() const { return in_use_ == 0; }
  // In [from_s, until_s), at most `most` are free at any time, and before some was freed there, at
  // least `least` were at all times. What is taken need not be told. REQUIRES from_s < until_s.
  void freed(std::int64_t from_s, std::int64_t until_s, std::int64_t least, std::int64_t most);

  // Searches are about to look from now_s on, at times before until_s. REQUIRES that now_s was never
  // greater.
  void cover(std::int64_t now_s, std::int64_t until_s);
  // The first part of [from_s, until_s) that may have a run of the duration; all of such a run that is
  // in [from_s, until_s) is in the part. nullopt: there is none. REQUIRES amount > 0.
  [[nodiscard]] std::optional<Part> next(std::int64_t from_s, std::int64_t until_s,
                                         std::int64_t duration_s, std::int64_t amount) const;
  // A part that next() gave has no run of that length, of row_amount(amount).
  void none(const Part& part, std::int64_t duration_s, std::int64_t amount);

 private:
  static constexpr std::size_t kCells = 256, kLast = kCells - 1, kRows = 75;
  static constexpr std::uint32_t kWidthMin = 10, kWidthMax = 16;  // of a cell, seconds: 2^width_
  static constexpr std::int32_t kUnknown = INT32_MAX;
  using Row = std::vector<std::int32_t>;  // kCells; empty: not in use, all is unknown

  [[nodiscard]] static std::size_t row_of(std::int64_t amount);
  [[nodiscard]] static std::int64_t amount_of(std::size_t row);
  [[nodiscard]] std::size_t cell_of(std::int64_t time_s) const;
  [[nodiscard]] std::int64_t begin_of(std::size_t cell) const;
  [[nodiscard]] std::int64_t end_of(std::size_t cell) const;
  void raise(Row& row, std::int64_t from_s, std::int64_t until_s) const;
  void forget_before(std::int64_t now_s);
  void widen();

  std::int64_t origin_s_ = 0;  // of the first cell
  std::uint32_t width_ = kWidthMin;
  std::array<Row, kRows> rows_{};
  std::size_t in_use_ = 0;  // rows
};

}  // namespace copse
