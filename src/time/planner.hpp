// SPDX-License-Identifier: Apache-2.0
//
// Planner: amounts in use over time, for several dimensions (types) on one time axis.
//
// A span takes an amount of each dimension over [start, end). The sum of all spans is a step
// function; every start and end of a span is a *step*, even if the sum does not change there.
//
// Invariants
//   1. Steps ascend strictly in time; each has at least one span that starts or ends there.
//   2. Before the first step and from the last one on, nothing is in use.
//   3. Queries change nothing.
//   4. Amounts have 32 bits until one may not fit; from then on 64, until the planner is empty.
//
// Structure: up to 64 steps are a flat array (step_leaf.hpp); more are a tree over aligned blocks
// of time, four ways at each level (step_node.hpp, step_tree.hpp). A step stores the change at it,
// so nothing between the ends of a span is touched. L is the number of levels in which the times of
// n steps differ: about log4 of n where they are spread, never more than 32.
//
//   add, remove     O(L·D): two paths, each ending at a leaf of at most 64 steps
//   move            the same for both times; less if a step and its new time are in one leaf
//   max_used        O(L); min_used, next_step and run_before O(L)
//   earliest_fit    O((r + 1)·L·D + s). Per block the least amount is known within which windows of
//                   4^c seconds are free, for eleven values of c; blocks without a window of more
//                   than an eighth of the duration are skipped. r counts the blocks with one; s
//                   the steps in their leaves. Worst case, all n steps: free runs of an eighth of
//                   the duration up to nearly all of it, everywhere; types that are free at times
//                   that never meet; durations of less than 4^-10 of the time of most blocks.
//
// Size: a step takes 4 D bytes and 3 where steps are dense (a leaf covers less than 18 hours; else
// 5, or 9), twice as much for 64-bit amounts; a step of more than 255 spans makes the counts of its
// leaf 3 bytes wider. With two steps per span, with leaves 16 to 64 steps full, and nodes: 21 bytes
// per span with one dimension, 34 with two (10^6 spans at random times). A planner of one span: 18
// + 8·D bytes and this object (48).
//
// Measured (2.1 GHz, shared; bench/planner_bench.cpp): adding or removing a span takes 0.55 µs among
// 8,000 (two types: 0.9) and 1.0 to 1.1 µs among 10^6 (1.7 to 2), where half of it is cache misses;
// max_used 0.2 and 0.5 µs. Earliest fit over free runs all shorter than an eighth: 0.6 µs over
// 8,000 spans, 1.3 µs over 608,000; where every second run fits 0.1 µs; the worst case, runs of 0.3
// to 0.99 of the duration, 4.8 ms over 608,000.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "time/step_tree.hpp"

namespace copse {

class Planner {
 public:
  using Amounts = std::span<const std::int64_t>;  // one amount per dimension

  explicit Planner(std::uint32_t dimensions);

  // Adds a span. REQUIRES start < end, amounts.size() == dimensions(), and that sums stay below
  // 2^63 (callers bound them by the pool's total).
  void add(std::int64_t start, std::int64_t end, Amounts amounts);
  // Removes a span that was added with the same arguments; the planner is then as if it had never
  // been added.
  void remove(std::int64_t start, std::int64_t end, Amounts amounts);

  // The same as remove() and add() of the moved span; cheaper if the new times are near.
  // REQUIRES to_start < to_end.
  void move(std::int64_t start, std::int64_t end, std::int64_t to_start, std::int64_t to_end,
            Amounts amounts);

  // Largest amount in use of a dimension at any time of [start, end). REQUIRES start < end.
  [[nodiscard]] std::int64_t max_used(std::uint32_t dimension, std::int64_t start,
                                      std::int64_t end) const;
  // The smallest amount in use.
  [[nodiscard]] std::int64_t min_used(std::uint32_t dimension, std::int64_t start,
                                      std::int64_t end) const;
  [[nodiscard]] std::int64_t used_at(std::uint32_t dimension, std::int64_t time) const {
    return max_used(dimension, time, time + 1);
  }

  // The first step at or after `time`.
  [[nodiscard]] std::optional<std::int64_t> next_step(std::int64_t time) const;

  // Whether no dimension k has more than allowed[k] in use at any time of [start, end).
  [[nodiscard]] bool within(std::int64_t start, std::int64_t end, Amounts allowed) const {
    for (std::uint32_t k = 0; k < allowed.size(); ++k) {
      if (allowed[k] != INT64_MAX && max_used(k, start, end) > allowed[k]) return false;
    }
    return true;
  }
  // The first time from which no dimension k has more than allowed[k] in use until `time`;
  // `time`: a limit is exceeded right before it. INT64_MIN: there is no such time. REQUIRES 0 <=
  // allowed[k].
  [[nodiscard]] std::int64_t run_before(std::int64_t time, Amounts allowed) const;
  // The first step t >= `after`, t < horizon, such that over [t, min(t + duration, horizon)) no
  // dimension k has more than allowed[k] in use. INT64_MAX is no limit, and costs nothing.
  // AtHorizon::whole: only if t + duration <= horizon.
  using AtHorizon = steps::AtHorizon;
  [[nodiscard]] std::optional<std::int64_t> earliest_fit(
      std::int64_t after, std::int64_t duration, std::int64_t horizon, Amounts allowed,
      AtHorizon at_horizon = AtHorizon::cut) const;

  [[nodiscard]] std::uint32_t dimensions() const;
  [[nodiscard]] bool empty() const { return step_count() == 0; }
  [[nodiscard]] std::size_t step_count() const;

  // Calls visit(time, amounts) for every step in order of time.
  template <class Visit>
  void for_each_step(Visit visit) const;

 private:
  using Narrow = steps::StepTree<std::int32_t>;
  using Wide = steps::StepTree<std::int64_t>;

  void widen();

  std::variant<Narrow, Wide> tree_;
  std::uint64_t magnitude_ = 0;  // narrow tree: the sum of each span's largest amount
};

namespace steps {
// Maps times to unsigned numbers of the same order, and back.
[[nodiscard]] inline Instant instant(std::int64_t time) {
  return static_cast<Instant>(time) ^ (Instant{1} << 63);
}
[[nodiscard]] inline std::int64_t time_of(Instant at) {
  return static_cast<std::int64_t>(at ^ (Instant{1} << 63));
}
}  // namespace steps

template <class Visit>
void Planner::for_each_step(Visit visit) const {
  std::visit(
      [&](const auto& tree) {
        tree.visit(
            [](void* context, steps::Instant at, Amounts amounts, std::uint32_t) {
              (*static_cast<Visit*>(context))(steps::time_of(at), amounts);
            },
            &visit);
      },
      tree_);
}

}  // namespace copse
