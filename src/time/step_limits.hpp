// SPDX-License-Identifier: Apache-2.0
//
// The limits of a query of a step tree by dimension, and their comparison with nodes and leaves.
//
// Nearly all queries limit one dimension: with OneLimit the compiler removes the loops over limits.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "time/step_node.hpp"

namespace copse::steps {

struct Limit {
  std::uint32_t dimension = 0;
  std::int64_t allowed = 0, used = 0;  // in use at the current position
  std::int64_t noted = 0;              // in use at a position to which a walk may return
};

// INT64_MAX is not a limit.
[[nodiscard]] inline std::size_t limit_count(std::span<const std::int64_t> allowed) {
  std::size_t out = 0;
  for (const std::int64_t amount : allowed) out += amount != INT64_MAX ? 1 : 0;
  return out;
}

class SingleLimit {
 public:
  // REQUIRES limit_count(allowed) == 1.
  explicit SingleLimit(std::span<const std::int64_t> allowed) {
    for (std::size_t k = 0; k < allowed.size(); ++k) {
      if (allowed[k] != INT64_MAX) limit_ = {static_cast<std::uint32_t>(k), allowed[k]};
    }
  }
  [[nodiscard]] Limit* begin() { return &limit_; }
  [[nodiscard]] Limit* end() { return &limit_ + 1; }

 private:
  Limit limit_;
};

class LimitList {
 public:
  explicit LimitList(std::span<const std::int64_t> allowed) {
    for (std::size_t k = 0; k < allowed.size(); ++k) {
      if (allowed[k] != INT64_MAX) limits_.push_back({static_cast<std::uint32_t>(k), allowed[k]});
    }
  }
  [[nodiscard]] auto begin() { return limits_.begin(); }
  [[nodiscard]] auto end() { return limits_.end(); }

 private:
  std::vector<Limit> limits_;
};

// Whether, by the marks of a quarter, no dimension is above its limit.
template <class Value, class Limits>
bool within(const Node<Value>& node, std::uint32_t q, std::uint32_t mark, std::uint32_t d,
            Limits& limits) {
  for (const Limit& limit : limits) {
    if (limit.used + node.marks(q, limit.dimension, d)[mark] > limit.allowed) return false;
  }
  return true;
}

// Moves the amounts in use to after a quarter or, with sign -1, to before it.
template <class Value, class Limits>
void pass(const Node<Value>& node, std::uint32_t q, std::uint32_t d, Limits& limits, int sign = 1) {
  for (Limit& limit : limits) limit.used += sign * node.sums(q, d)[limit.dimension];
}

// Bit i: some dimension is above its limit from the i-th of the first `rows` steps on. Other bits
// are undefined.
template <class Value, class Limits>
std::uint64_t rows_over(const Leaf<Value>& leaf, std::uint32_t rows, Limits& limits) {
  std::uint64_t over = 0;
  for (const Limit& limit : limits) {
    std::int64_t most = 0;
    if (__builtin_sub_overflow(limit.allowed, limit.used, &most)) {
      most = limit.used < 0 ? INT64_MAX : INT64_MIN;
    }
    if (most >= std::numeric_limits<Value>::max()) continue;
    if (most < std::numeric_limits<Value>::min()) return ~std::uint64_t{0};
    over |= leaf.above(limit.dimension, rows, static_cast<Value>(most));
  }
  return over;
}

// --- The last step at or before `upto` at which some dimension is above its limit

struct Excess {
  Instant at;
  std::optional<Instant> next;  // step, if the same leaf has it
};

template <class Value, class Limits>
std::optional<Excess> last_over(const Leaf<Value>& leaf, Instant base, Instant upto,
                                std::uint32_t d, Limits& limits) {
  if (upto < base) return std::nullopt;
  const std::uint32_t rows =
      upto - base == ~Instant{0} ? leaf.count : leaf.at_or_after(upto - base + 1, d);
  if (rows == 0) return std::nullopt;
  const std::uint64_t over = rows_over(leaf, rows, limits) << (64 - rows);
  if (over == 0) return std::nullopt;
  const std::uint32_t row = rows - 1 - static_cast<std::uint32_t>(std::countl_zero(over));
  Excess out{base + leaf.offset(row, d), {}};
  if (row + 1 < leaf.count) out.next = base + leaf.offset(row + 1, d);
  return out;
}

template <class Value, class Limits>
std::optional<Excess> last_over(const Node<Value>& node, Instant upto, std::uint32_t d,
                                Limits& limits) {
  if (upto < node.start) return std::nullopt;
  const std::uint32_t last = upto >= node.last() ? 3 : node.quarter_of(upto);
  for (std::uint32_t q = 0; q <= last; ++q) pass(node, q, d, limits);
  for (std::uint32_t q = last + 1; q-- > 0;) {
    pass(node, q, d, limits, -1);
    if (node.below[q] == nullptr) continue;
    if (within(node, q, kLargest, d, limits)) continue;
    const auto found = node.is_leaf(q)
                           ? last_over(*node.leaf(q), node.quarter_start(q), upto, d, limits)
                           : last_over(*node.node(q), upto, d, limits);
    if (found) return found;
  }
  return std::nullopt;
}

// --- The first step at or after `from`

template <class Value>
std::optional<Instant> next_in(const Leaf<Value>& leaf, Instant base, Instant from,
                               std::uint32_t d) {
  const std::uint32_t row = from <= base ? 0 : leaf.at_or_after(from - base, d);
  if (row == leaf.count) return std::nullopt;
  return base + leaf.offset(row, d);
}

template <class Value>
std::optional<Instant> next_in(const Node<Value>& node, Instant from, std::uint32_t d) {
  if (from > node.last()) return std::nullopt;
  for (std::uint32_t q = from <= node.start ? 0 : node.quarter_of(from); q < 4; ++q) {
    if (node.below[q] == nullptr) continue;
    const auto found = node.is_leaf(q) ? next_in(*node.leaf(q), node.quarter_start(q), from, d)
                                       : next_in(*node.node(q), from, d);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace copse::steps
