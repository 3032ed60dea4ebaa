// SPDX-License-Identifier: Apache-2.0
//
// EarliestFit: finds the first step of a tree at which a free run of a given duration begins: no
// dimension is above its limit.
//
// It walks over the steps and tracks whether a free run is open, and since when. Every run of the
// duration contains a free window of a known size; a quarter without one is skipped. No such run is
// inside it, but one may begin near its end. Then the walk is *unsure*, until it reaches a quarter
// that may have such a window. It then looks back for the beginning of the run, which is in the
// last skipped quarter: at some time of that one a limit was exceeded.
//
// Cost: that of Planner::earliest_fit (time/planner.hpp). A leaf is one mask of the steps that are
// above; a long walk prefetches what it visits next.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "time/prefetch.hpp"
#include "time/step_limits.hpp"

namespace copse::steps {

template <class Value, class Limits>
class EarliestFit {
 public:
  // Runs of `duration` that begin from `after` on, or reach the horizon if they may be cut there.
  // `window`: the level of an aligned window that each run contains. REQUIRES after < horizon.
  EarliestFit(const Limits& limits, Instant after, std::uint64_t duration, Instant horizon,
              AtHorizon at_horizon, std::uint32_t window, std::uint32_t dimensions)
      : limits_(limits),
        after_(after),
        duration_(duration),
        horizon_(horizon),
        at_horizon_(at_horizon),
        window_(window),
        d_(dimensions) {}

  // To be called once: the beginning of the run, if there is one.
  [[nodiscard]] std::optional<Instant> of(const Leaf<Value>& leaf, Instant base) {
    scan(leaf, base);
    return begin();
  }
  [[nodiscard]] std::optional<Instant> of(const Node<Value>& root) {
    const Limits at_first = limits_;
    if (!walk(root) && unsure_ && may_reach_horizon()) look_back_from_horizon(root, at_first);
    return begin();
  }

 private:
  static constexpr std::uint32_t kLongWalk = 16;  // leaves

  [[nodiscard]] std::optional<Instant> begin() const {
    const bool fits = open_ && (at_horizon_ == AtHorizon::cut || long_enough(horizon_));
    return fits ? std::optional(since_) : std::nullopt;
  }
  // Whether a run that began in the skipped quarter, after its start, may reach the horizon.
  [[nodiscard]] bool may_reach_horizon() const {
    return at_horizon_ == AtHorizon::cut ||
           horizon_ - passed_->quarter_start(passed_quarter_) > duration_;
  }
  [[nodiscard]] bool long_enough(Instant until) const {
    return open_ && until - since_ >= duration_;
  }
  void be_unsure(const Node<Value>& node, std::uint32_t q) {
    unsure_ = true;
    passed_ = &node;
    passed_quarter_ = q;
    for (Limit& limit : limits_) limit.noted = limit.used;
  }
  void look_back(Instant at);
  void look_back_from_horizon(const Node<Value>& root, Limits whole);
  bool scan(const Leaf<Value>& leaf, Instant base);
  enum class Way { found, end, over, into };
  Way way(const Node<Value>& node, std::uint32_t q);
  bool walk(const Node<Value>& node);
  void fetch(const Node<Value>& node) const;
  void fetch_first(const Node<Value>& node, std::uint32_t q) const;

  Limits limits_;
  const Instant after_;
  const std::uint64_t duration_;
  const Instant horizon_;
  const AtHorizon at_horizon_;
  const std::uint32_t window_, d_;
  bool open_ = false, unsure_ = false, past_horizon_ = false;
  Instant since_ = 0;
  const Node<Value>* passed_ = nullptr;  // the node of the quarter that made the walk unsure
  std::uint32_t passed_quarter_ = 0;
  std::uint32_t scanned_ = 0;  // leaves
};

// Finds the run that is open at `at` and began in the last skipped quarter.
template <class Value, class Limits>
void EarliestFit<Value, Limits>::look_back(Instant at) {
  const std::uint32_t q = passed_quarter_;
  const Instant base = passed_->quarter_start(q);
  for (Limit& limit : limits_) std::swap(limit.used, limit.noted);
  const auto over = passed_->is_leaf(q) ? last_over(*passed_->leaf(q), base, at - 1, d_, limits_)
                                        : last_over(*passed_->node(q), at - 1, d_, limits_);
  for (Limit& limit : limits_) std::swap(limit.used, limit.noted);
  const Instant from = std::max(after_, over ? over->at + 1 : base);
  const auto begin = passed_->is_leaf(q) ? next_in(*passed_->leaf(q), base, from, d_)
                                         : next_in(*passed_->node(q), from, d_);
  unsure_ = false;
  open_ = begin && *begin < at;
  if (open_) since_ = *begin;
}

// The same at the horizon, after which limits may be exceeded.
template <class Value, class Limits>
void EarliestFit<Value, Limits>::look_back_from_horizon(const Node<Value>& root, Limits whole) {
  const auto over = last_over(root, horizon_ - 1, d_, whole);
  const auto begin = next_in(root, over && over->at >= after_ ? over->at + 1 : after_, d_);
  open_ = begin && *begin < horizon_;
  if (open_) since_ = *begin;
}

// Returns whether the run that is open at the end fits.
template <class Value, class Limits>
bool EarliestFit<Value, Limits>::scan(const Leaf<Value>& leaf, Instant base) {
  ++scanned_;
  std::uint32_t row = after_ <= base ? 0 : leaf.at_or_after(after_ - base, d_);
  const std::uint32_t rows = horizon_ <= base ? 0 : leaf.at_or_after(horizon_ - base, d_);
  past_horizon_ = rows < leaf.count;
  const std::uint64_t over = rows_over(leaf, rows, limits_);
  return leaf.with_offsets(d_, [&](const auto* offsets) {
    while (row < rows) {  // from one change of state to the next
      row += static_cast<std::uint32_t>(std::countr_zero((open_ ? over : ~over) >> row));
      if (row >= rows) break;
      const Instant at = base + offsets[row];
      if (long_enough(at)) return true;
      if (!open_) since_ = at;
      open_ = !open_;
      ++row;
    }
    return false;
  });
}

// Decides how to treat a quarter.
template <class Value, class Limits>
typename EarliestFit<Value, Limits>::Way EarliestFit<Value, Limits>::way(const Node<Value>& node,
                                                                         std::uint32_t q) {
  const std::uint32_t level = node.level - 1u;
  const Instant start = node.quarter_start(q), last = node.quarter_last(q);
  if (last < after_) return Way::over;
  if (start >= horizon_) {
    past_horizon_ = true;
    return Way::end;
  }
  if (!unsure_ && long_enough(start)) return Way::found;
  if (open_ && within(node, q, kLargest, d_, limits_)) return Way::over;
  const bool known = window_ <= level && level - window_ <= kLargest;
  if (!within(node, q, known ? kLargest - (level - window_) : kLeast, d_, limits_)) {
    // An open run may still become long enough in this quarter.
    if (open_ && last - since_ >= duration_) return Way::into;
    open_ = unsure_ = false;
    // Otherwise a limit is exceeded at all times.
    if (known && within(node, q, kLeast, d_, limits_)) be_unsure(node, q);
    return Way::over;
  }
  if (unsure_) look_back(start);
  return open_ && within(node, q, kLargest, d_, limits_) ? Way::over : Way::into;
}

template <class Value, class Limits>
bool EarliestFit<Value, Limits>::walk(const Node<Value>& node) {
  for (std::uint32_t q = 0; q < 4; ++q) {
    const Way what = way(node, q);
    if (what == Way::found) return true;
    if (what == Way::end) return false;
    if (what == Way::into && q < 3) fetch_first(node, q + 1);
    if (what == Way::over || node.below[q] == nullptr) {
      pass(node, q, d_, limits_);
    } else if (node.is_leaf(q)) {
      if (scan(*node.leaf(q), node.quarter_start(q))) return true;
      if (past_horizon_) return false;
      pass(node, q, d_, limits_);
    } else {
      const Node<Value>& child = *node.node(q);
      if (walk(child)) return true;
      if (past_horizon_) return false;
      // The window may be in the rest of the quarter.
      if (!unsure_ || child.last() == node.quarter_last(q)) continue;
      past_horizon_ = child.last() >= horizon_ - 1;
      if (past_horizon_) return false;
      look_back(child.last() + 1);
    }
  }
  return false;
}

// Prefetches the children of a node while earlier ones are visited. It would slow down short walks.
template <class Value, class Limits>
void EarliestFit<Value, Limits>::fetch(const Node<Value>& node) const {
  for (std::uint32_t q = 0; q < 4; ++q) {
    if (node.below[q] == nullptr) continue;
    prefetch(node.below[q], node.is_leaf(q)
                                ? Leaf<Value>::bytes(Leaf<Value>::kSteps / 2, {4, 1}, d_)
                                : sizeof(node) + Node<Value>::words(d_) * sizeof(Value));
  }
}

// The same for the first node of each level below a quarter.
template <class Value, class Limits>
void EarliestFit<Value, Limits>::fetch_first(const Node<Value>& node, std::uint32_t q) const {
  if (scanned_ < kLongWalk) return;
  for (const Node<Value>* at = &node; !at->is_leaf(q) && at->below[q] != nullptr; q = 0) {
    at = at->node(q);
    fetch(*at);
  }
}

}  // namespace copse::steps
