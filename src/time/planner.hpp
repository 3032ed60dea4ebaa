// SPDX-License-Identifier: Apache-2.0
//
// Planner: amounts in use over time, for several dimensions (types) on one time axis.
//
// A span takes an amount of each dimension over [start, end). The sum of all spans is a step
// function; every start and end of a span is a *step*, also where the sum does not change. Steps
// live in a B+ tree whose entries carry, per dimension, the largest and smallest amount below them
// and an addition that is still pending for all of them, so that adding a span never touches the
// steps that it covers whole.
//
// Invariants
//   1. Steps ascend strictly in time; each has at least one span that starts or ends there.
//   2. Before the first step and from the last one on, nothing is in use.
//   3. An entry's largest and smallest include its own pending addition and those below, not above.
//   4. Queries change nothing.
//
// Sketch: a step is (2 + D) words of 8 bytes, at most two steps a span; 64 steps a leaf, 32 entries
// an inner node. With n steps: add, remove O(64·D + log n); max_used over a window O(64·D + log n);
// next_step O(log n). earliest_fit O((r + 1)·log n) where r is the number of runs that are free for
// less than the duration before the answer: the worst case is many runs just short of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace copse {

class Planner {
 public:
  using Amounts = std::span<const std::int64_t>;  // one amount a dimension

  explicit Planner(std::uint32_t dimensions);
  ~Planner();
  Planner(Planner&&) noexcept;
  Planner& operator=(Planner&&) noexcept;

  // Adds a span. REQUIRES start < end, amounts.size() == dimensions(), and that sums stay below
  // 2^63 (callers bound them by the pool's total).
  void add(std::int64_t start, std::int64_t end, Amounts amounts);
  // Takes back a span added with the same arguments; afterwards all is as if it never was.
  void remove(std::int64_t start, std::int64_t end, Amounts amounts);

  // Largest amount in use of a dimension at any time of [start, end). REQUIRES start < end.
  [[nodiscard]] std::int64_t max_used(std::uint32_t dimension, std::int64_t start,
                                      std::int64_t end) const;
  [[nodiscard]] std::int64_t used_at(std::uint32_t dimension, std::int64_t time) const {
    return max_used(dimension, time, time + 1);
  }

  // The first step at or after `time`.
  [[nodiscard]] std::optional<std::int64_t> next_step(std::int64_t time) const;

  // The first step, from the one in force at `from` on and before `until`, at which some dimension k
  // has more than allowed[k] in use. REQUIRES !empty().
  [[nodiscard]] std::optional<std::int64_t> first_over(std::int64_t from, std::int64_t until,
                                                       Amounts allowed) const;

  // The first step t >= `after`, t < horizon, such that over [t, min(t + duration, horizon)) no
  // dimension k has more than allowed[k] in use.
  [[nodiscard]] std::optional<std::int64_t> earliest_fit(std::int64_t after, std::int64_t duration,
                                                         std::int64_t horizon,
                                                         Amounts allowed) const;

  [[nodiscard]] std::uint32_t dimensions() const { return dimensions_; }
  [[nodiscard]] bool empty() const { return root_ == nullptr; }
  [[nodiscard]] std::size_t step_count() const { return steps_; }

  // Calls visit(time, amounts) for every step in order of time.
  template <class Visit>
  void for_each_step(Visit visit) const;

 private:
  struct Node;
  using Steps = void (*)(void*, std::int64_t, Amounts);

  void add_step(std::int64_t time);
  void drop_step(std::int64_t time);
  void add_range(std::int64_t start, std::int64_t end, const std::int64_t* amounts, int sign);
  // First step after `from` from which on no dimension has more than allowed.
  [[nodiscard]] std::optional<std::int64_t> first_within(std::int64_t from, Amounts allowed) const;
  void visit_steps(Steps visit, void* context) const;

  std::unique_ptr<Node> root_;
  std::uint32_t dimensions_;
  std::size_t steps_ = 0;
};

template <class Visit>
void Planner::for_each_step(Visit visit) const {
  visit_steps([](void* context, std::int64_t time,
                 Amounts amounts) { (*static_cast<Visit*>(context))(time, amounts); },
              &visit);
}

}  // namespace copse
