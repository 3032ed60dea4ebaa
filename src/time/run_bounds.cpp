// SPDX-License-Identifier: Apache-2.0
#include "time/run_bounds.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace copse {

// 1 to 7 have a row each; beyond, the two bits after the leading one select the row.
std::size_t RunBounds::row_of(std::int64_t amount) {
  assert(amount > 0);
  const auto number = static_cast<std::uint64_t>(amount);
  const auto bits = static_cast<std::size_t>(std::bit_width(number));
  if (bits <= 3) return number - 1;
  return std::min(7 + (bits - 4) * 4 + ((number >> (bits - 3)) & 3), kRows - 1);
}

std::int64_t RunBounds::amount_of(std::size_t row) {
  if (row < 7) return static_cast<std::int64_t>(row) + 1;
  return static_cast<std::int64_t>(4 + (row - 7) % 4) << ((row - 7) / 4 + 1);
}

std::int64_t RunBounds::row_amount(std::int64_t amount) { return amount_of(row_of(amount)); }

std::size_t RunBounds::cell_of(std::int64_t time_s) const {
  if (time_s <= origin_s_) return 0;
  return std::min<std::uint64_t>(
      (static_cast<std::uint64_t>(time_s) - static_cast<std::uint64_t>(origin_s_)) >> width_,
      kLast);
}

std::int64_t RunBounds::begin_of(std::size_t cell) const {
  return origin_s_ + (static_cast<std::int64_t>(cell) << width_);
}

std::int64_t RunBounds::end_of(std::size_t cell) const {
  return cell == kLast ? INT64_MAX : begin_of(cell + 1);
}

void RunBounds::freed(std::int64_t from_s, std::int64_t until_s, std::int64_t least,
                      std::int64_t most) {
  assert(from_s < until_s);
  from_s = std::max(from_s, origin_s_);
  if (from_s >= until_s) return;
  if (most <= 0) return;
  const std::size_t last = row_of(most);
  std::size_t row = least <= 0 ? 0 : row_of(least);
  if (least > 0 && amount_of(row) <= least) ++row;  // this amount had runs at all these times
  Around around;
  for (; row <= last; ++row) {
    if (!rows_[row].empty()) around = raise(rows_[row], from_s, until_s, around);
  }
}

// The free time on the left, the freed time, and the free time on the right now form one run. On
// the left it does not reach cells that are farther away than the bound on such runs, nor than the
// free time of a smaller amount: where more is free, less is free, too.
RunBounds::Around RunBounds::raise(Row& row, std::int64_t from_s, std::int64_t until_s,
                                   const Around& smaller) const {
  const auto longest = [&](std::size_t cell) {
    return row[cell] == kUnknown ? INT64_MAX : std::int64_t{row[cell]} - 1;
  };
  std::size_t first = cell_of(from_s), last = cell_of(until_s - 1);
  auto [left, right] = smaller;
  for (std::size_t cell = cell_of(from_s - 1);; --cell) {
    const std::int64_t between = std::max<std::int64_t>(0, from_s - std::min(from_s, end_of(cell)));
    if (from_s == origin_s_ || std::min(left, longest(cell)) <= between) {
      left = std::min(left, from_s == origin_s_ ? 0 : between);
      break;
    }
    left = std::min(left, longest(cell));
    first = cell;
    if (cell > 0) continue;
    left = std::min(left, from_s - origin_s_);
    break;
  }
  for (std::size_t cell = cell_of(until_s);; ++cell) {
    const std::int64_t between = std::max<std::int64_t>(0, begin_of(cell) - until_s);
    if (std::min(right, longest(cell)) <= between) {
      right = std::min(right, between);
      break;
    }
    right = std::min(right, longest(cell));
    last = cell;
    if (cell == kLast) break;
  }
  const auto known = [](std::int64_t length) { return length < kUnknown / 4; };
  const bool bounded = known(left) && known(right) && known(until_s - from_s);
  const std::int32_t bound =
      bounded ? static_cast<std::int32_t>(left + (until_s - from_s) + right + 1) : kUnknown;
  for (std::size_t cell = first; cell <= last; ++cell) row[cell] = std::max(row[cell], bound);
  return {left, right};
}

void RunBounds::cover(std::int64_t now_s, std::int64_t until_s) {
  forget_before(now_s);
  while (width_ < kWidthMax && until_s > begin_of(kLast)) widen();
}

// Drops cells that are in the past.
void RunBounds::forget_before(std::int64_t now_s) {
  if (now_s < begin_of(kCells / 4)) return;
  const std::size_t gone = cell_of(now_s);
  for (Row& row : rows_) {
    if (row.empty()) continue;
    std::copy(row.begin() + static_cast<std::ptrdiff_t>(gone), row.end(), row.begin());
    std::fill(row.end() - static_cast<std::ptrdiff_t>(gone), row.end(), kUnknown);
  }
  origin_s_ = gone == kLast ? now_s : begin_of(gone);
}

void RunBounds::widen() {
  for (Row& row : rows_) {
    if (row.empty()) continue;
    for (std::size_t cell = 0; cell < kCells / 2; ++cell) {
      row[cell] = std::max(row[2 * cell], row[2 * cell + 1]);
    }
    std::fill(row.begin() + kCells / 2, row.end(), kUnknown);
  }
  ++width_;
}

std::optional<RunBounds::Part> RunBounds::next(std::int64_t from_s, std::int64_t until_s,
                                               std::int64_t duration_s, std::int64_t amount) const {
  if (from_s >= until_s || until_s - from_s < duration_s) return std::nullopt;
  const Row& row = rows_[row_of(amount)];
  if (row.empty() || duration_s >= kUnknown) return Part{from_s, until_s};
  const std::size_t end = cell_of(until_s - 1) + 1;
  for (std::size_t cell = cell_of(from_s); cell < end;) {
    if (row[cell] <= duration_s) {
      ++cell;
      continue;
    }
    const std::int64_t begin_s = std::max(from_s, begin_of(cell));
    while (cell < end && row[cell] > duration_s) ++cell;
    const std::int64_t end_s = std::min(until_s, end_of(cell - 1));
    if (end_s - begin_s >= duration_s) return Part{begin_s, end_s};
  }
  return std::nullopt;
}

// A run that overlaps a cell may continue after the part, unless the part ends at the end of a
// cell.
void RunBounds::none(const Part& part, std::int64_t duration_s, std::int64_t amount) {
  if (duration_s >= kUnknown) return;
  Row& row = rows_[row_of(amount)];
  if (row.empty()) {
    row.assign(kCells, kUnknown);
    ++in_use_;
  }
  const auto bound = static_cast<std::int32_t>(std::max<std::int64_t>(duration_s, 1));
  const std::size_t behind = cell_of(part.until_s);
  const bool closed = part.until_s == begin_of(behind) && row[behind] <= duration_s;
  for (std::size_t cell = cell_of(part.from_s); cell < kLast; ++cell) {
    const std::int64_t end_s = end_of(cell);
    if (end_s > part.until_s || (!closed && part.until_s - end_s < duration_s - 1)) break;
    row[cell] = std::min(row[cell], bound);
  }
}

}  // namespace copse
