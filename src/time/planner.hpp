// SPDX-License-Identifier: Apache-2.0
//
// Planner: amounts in use over time, for several dimensions (types) on one time axis.
//
// A span takes an amount of each dimension over [start, end). The sum of all spans is a step
// function; every start and end of a span is a *step*, also where the sum does not change.
//
// Invariants
//   1. Steps ascend strictly in time; each has at least one span that starts or ends there.
//   2. Before the first step and from the last one on, nothing is in use.
//   3. Queries change nothing.
//   4. Amounts have 32 bits until one may not fit; from then on 64, until the planner is empty.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "time/step_tree.hpp"

namespace copse {

class Planner {
 public:
  using Amounts = std::span<const std::int64_t>;  // one amount a dimension

  explicit Planner(std::uint32_t dimensions);

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

  // The first step t >= `after`, t < horizon, such that over [t, min(t + duration, horizon)) no
  // dimension k has more than allowed[k] in use. INT64_MAX allows all, and costs nothing.
  [[nodiscard]] std::optional<std::int64_t> earliest_fit(std::int64_t after, std::int64_t duration,
                                                         std::int64_t horizon,
                                                         Amounts allowed) const;

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
  std::uint64_t magnitude_ = 0;  // of a narrow tree: the largest amount of each span, all together
};

namespace steps {
// The same order as unsigned numbers, and back.
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
