// SPDX-License-Identifier: Apache-2.0
#include "time/step_queries.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "base/fetch_near.hpp"

namespace copse::steps {

namespace {

// Dimensions that a query limits, with what is allowed of each and what is in use where it is.
class Limits {
 public:
  explicit Limits(std::span<const std::int64_t> allowed) {
    if (allowed.size() > kFew) many_.resize(allowed.size());
    for (std::size_t k = 0; k < allowed.size(); ++k) {
      if (allowed[k] == INT64_MAX) continue;  // no limit
      begin()[count_++] = {static_cast<std::uint32_t>(k), allowed[k], 0, 0};
    }
  }
  struct Limit {
    std::uint32_t dimension;
    std::int64_t allowed, used;
    std::int64_t noted;  // what was in use where a walk wants to look again
  };
  [[nodiscard]] Limit* begin() { return many_.empty() ? few_ : many_.data(); }
  [[nodiscard]] Limit* end() { return begin() + count_; }

 private:
  static constexpr std::size_t kFew = 8;
  std::size_t count_ = 0;
  Limit few_[kFew];
  std::vector<Limit> many_;  // if they are more than a few
};

// Whether the marks of a quarter say that no dimension is above its limit.
template <class Value>
bool within(const Node<Value>& node, std::uint32_t q, std::uint32_t mark, std::uint32_t d,
            Limits& limits) {
  for (const Limits::Limit& limit : limits) {
    if (limit.used + node.marks(q, limit.dimension, d)[mark] > limit.allowed) return false;
  }
  return true;
}

// Bit i: some dimension is above its limit from the i-th of the first steps on.
template <class Value>
std::uint64_t rows_over(const Leaf<Value>& leaf, std::uint32_t rows, Limits& limits) {
  std::uint64_t over = 0;
  for (const Limits::Limit& limit : limits) {
    const std::int64_t most = limit.allowed - limit.used;
    if (most >= std::numeric_limits<Value>::max()) continue;
    if (most < std::numeric_limits<Value>::min()) return ~std::uint64_t{0};
    over |= leaf.above(limit.dimension, rows, static_cast<Value>(most));
  }
  return over;
}

template <class Value>
bool within(const Leaf<Value>& leaf, std::uint32_t row, Limits& limits) {
  for (const Limits::Limit& limit : limits) {
    if (limit.used + leaf.values(limit.dimension)[row] > limit.allowed) return false;
  }
  return true;
}

template <class Value>
void pass(const Node<Value>& node, std::uint32_t q, std::uint32_t d, Limits& limits, int sign = 1) {
  for (Limits::Limit& limit : limits) limit.used += sign * node.sums(q, d)[limit.dimension];
}

template <class Value>
std::optional<Instant> last_over(const Leaf<Value>& leaf, Instant base, Instant upto,
                                 std::uint32_t d, Limits& limits) {
  if (upto < base) return std::nullopt;
  std::uint32_t row =
      upto - base == ~Instant{0} ? leaf.count : leaf.at_or_after(upto - base + 1, d);
  while (row-- > 0) {
    if (!within(leaf, row, limits)) return base + leaf.offset(row, d);
  }
  return std::nullopt;
}

// The last step at or before `upto` at which some dimension is above its limit.
template <class Value>
std::optional<Instant> last_over(const Node<Value>& node, Instant upto, std::uint32_t d,
                                 Limits& limits) {
  for (std::uint32_t q = 0; q < 4; ++q) pass(node, q, d, limits);
  for (std::uint32_t q = 4; q-- > 0;) {
    pass(node, q, d, limits, -1);
    if (node.below[q] == nullptr || node.quarter_start(q) > upto) continue;
    if (within(node, q, kLargest, d, limits)) continue;
    const auto found = node.is_leaf(q)
                           ? last_over(*node.leaf(q), node.quarter_start(q), upto, d, limits)
                           : last_over(*node.node(q), upto, d, limits);
    if (found) return found;
  }
  return std::nullopt;
}

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

// What is asked of a range of time: the most that is in use there, or the least.
struct Most {
  static constexpr std::int64_t kNone = INT64_MIN;
  static constexpr std::uint32_t kMark = kLargest;
  template <class Value>
  static Value of(Value a, Value b) {
    return std::max(a, b);
  }
};
struct Least {
  static constexpr std::int64_t kNone = INT64_MAX;
  static constexpr std::uint32_t kMark = kLeast;
  template <class Value>
  static Value of(Value a, Value b) {
    return std::min(a, b);
  }
};

template <class Extreme, class Value>
std::int64_t extreme_in(const Leaf<Value>& leaf, std::uint32_t k, std::uint64_t first,
                        std::uint64_t last, std::uint32_t d) {
  const Value* values = leaf.values(k);
  std::uint32_t row = leaf.at_or_after(first, d);
  const std::uint32_t until =
      last == ~std::uint64_t{0} ? leaf.count : leaf.at_or_after(last + 1, d);
  const bool at_step = row < until && leaf.offset(row, d) == first;
  Value found = at_step ? values[row] : row == 0 ? Value{0} : values[row - 1];
  for (; row < until; ++row) found = Extreme::of(found, values[row]);
  return found;
}

// The most or least in use over [first, last], of which the node has some; relative to what is in
// use before the node.
template <class Extreme, class Value>
std::int64_t extreme_in(const Node<Value>& node, std::uint32_t k, Instant first, Instant last,
                        std::uint32_t d) {
  std::int64_t found = Extreme::kNone, before = 0;
  for (std::uint32_t q = 0; q < 4; before += node.sums(q, d)[k], ++q) {
    const Instant start = node.quarter_start(q), end = node.quarter_last(q);
    if (start > last) break;
    if (end < first) continue;
    const Instant from = std::max(first, start), to = std::min(last, end);
    if (node.below[q] == nullptr) {
      found = Extreme::of(found, before);
    } else if (from == start && to == end) {
      found = Extreme::of(found, before + node.marks(q, k, d)[Extreme::kMark]);
    } else if (node.is_leaf(q)) {
      found = Extreme::of(
          found, before + extreme_in<Extreme>(*node.leaf(q), k, from - start, to - start, d));
    } else {
      const Node<Value>& child = *node.node(q);
      if (from < child.start) found = Extreme::of(found, before);
      if (to > child.last()) found = Extreme::of(found, before + node.sums(q, d)[k]);
      if (from <= child.last() && to >= child.start) {
        found = Extreme::of(found, before + extreme_in<Extreme>(child, k, from, to, d));
      }
    }
  }
  return found;
}

// The same of all steps, wherever they stand.
template <class Extreme, class Value>
std::int64_t extreme_of(const Node<Value>& node, std::uint32_t k, Instant first, Instant last,
                        std::uint32_t d) {
  std::int64_t found = first < node.start || last > node.last() ? 0 : Extreme::kNone;
  if (first <= node.last() && last >= node.start) {
    found = Extreme::of(found, extreme_in<Extreme>(node, k, std::max(first, node.start),
                                                   std::min(last, node.last()), d));
  }
  return found;
}
template <class Extreme, class Value>
std::int64_t extreme_of(const Leaf<Value>& leaf, Instant base, std::uint32_t k, Instant first,
                        Instant last, std::uint32_t d) {
  if (last < base) return 0;
  const std::int64_t before = first < base ? 0 : Extreme::kNone;
  return Extreme::of(before,
                     extreme_in<Extreme>(leaf, k, std::max(first, base) - base, last - base, d));
}

template <class Value>
void visit_leaf(Leaf<Value>& leaf, Instant base, std::uint32_t d,
                const std::vector<std::int64_t>& before, typename StepQueries<Value>::Visit visit,
                void* context) {
  std::vector<std::int64_t> amounts(d);
  for (std::uint32_t row = 0; row < leaf.count; ++row) {
    for (std::uint32_t k = 0; k < d; ++k) amounts[k] = before[k] + leaf.values(k)[row];
    visit(context, base + leaf.offset(row, d), amounts, leaf.references(row, d));
  }
}

template <class Value>
void visit_node(const Node<Value>& node, std::uint32_t d, std::vector<std::int64_t>& before,
                typename StepQueries<Value>::Visit visit, void* context) {
  for (std::uint32_t q = 0; q < 4; ++q) {
    if (node.below[q] == nullptr) continue;
    if (node.is_leaf(q)) {
      visit_leaf(*node.leaf(q), node.quarter_start(q), d, before, visit, context);
      for (std::uint32_t k = 0; k < d; ++k) before[k] += node.sums(q, d)[k];
    } else {
      visit_node(*node.node(q), d, before, visit, context);
    }
  }
}

}  // namespace

template <class Value>
std::int64_t StepQueries<Value>::largest(std::uint32_t dimension, Instant first,
                                         Instant last) const {
  if (root_ == nullptr) return 0;
  return root_is_leaf_ ? extreme_of<Most>(*root_leaf(), base_, dimension, first, last, dimensions_)
                       : extreme_of<Most>(*root_node(), dimension, first, last, dimensions_);
}

template <class Value>
std::int64_t StepQueries<Value>::least(std::uint32_t dimension, Instant first, Instant last) const {
  if (root_ == nullptr) return 0;
  return root_is_leaf_ ? extreme_of<Least>(*root_leaf(), base_, dimension, first, last, dimensions_)
                       : extreme_of<Least>(*root_node(), dimension, first, last, dimensions_);
}

template <class Value>
std::int64_t StepQueries<Value>::smallest(std::uint32_t dimension) const {
  if (root_ == nullptr) return 0;
  if (!root_is_leaf_) return root_node()->merged(dimension, dimensions_)[kLeast];
  const Value* values = root_leaf()->values(dimension);
  return std::min(Value{0}, *std::min_element(values, values + root_leaf()->count));
}

template <class Value>
std::optional<Instant> StepQueries<Value>::next(Instant from) const {
  if (root_ == nullptr) return std::nullopt;
  return root_is_leaf_ ? next_in(*root_leaf(), base_, from, dimensions_)
                       : next_in(*root_node(), from, dimensions_);
}

template <class Value>
void StepQueries<Value>::visit(Visit each, void* context) const {
  if (root_ == nullptr) return;
  std::vector<std::int64_t> before(dimensions_, 0);
  if (root_is_leaf_) {
    visit_leaf(*root_leaf(), base_, dimensions_, before, each, context);
  } else {
    visit_node(*root_node(), dimensions_, before, each, context);
  }
}

// --- Earliest fit
//
// A walk over the steps that knows whether a free run is open, and since when. A quarter without a
// free window that every run of the duration must have is passed over: no such run is in it, but
// one may begin at its end. Then the walk is *unsure*, until it comes to a quarter that may have
// such a window, and looks back for where the run began. It began in the last quarter that was
// passed over: at some time of that one too much was in use.
template <class Value>
struct StepQueries<Value>::Fit {
  const StepQueries& tree;
  Limits limits;
  Instant after;  // no run begins before
  std::uint64_t duration;
  Instant horizon;
  std::uint32_t window;  // level of the window
  bool open = false, unsure = false, past_horizon = false;
  Instant since = 0;
  const NodeOf* passed = nullptr;  // has the quarter that made the walk unsure
  std::uint32_t passed_quarter = 0;
  std::uint32_t scanned = 0;  // leaves
  static constexpr std::uint32_t kLongWalk = 16;

  [[nodiscard]] bool long_enough(Instant until) const { return open && until - since >= duration; }

  void be_unsure(const NodeOf& node, std::uint32_t q) {
    unsure = true;
    passed = &node;
    passed_quarter = q;
    for (Limits::Limit& limit : limits) limit.noted = limit.used;
  }
  // Finds the run that is open at `at`, after the quarter that was passed over last.
  void look_back(Instant at) {
    const std::uint32_t d = tree.dimensions_, q = passed_quarter;
    const Instant base = passed->quarter_start(q);
    for (Limits::Limit& limit : limits) std::swap(limit.used, limit.noted);
    const auto over = passed->is_leaf(q) ? last_over(*passed->leaf(q), base, at - 1, d, limits)
                                         : last_over(*passed->node(q), at - 1, d, limits);
    for (Limits::Limit& limit : limits) std::swap(limit.used, limit.noted);
    const Instant from = std::max(after, over ? *over + 1 : base);
    const auto begin = passed->is_leaf(q) ? next_in(*passed->leaf(q), base, from, d)
                                          : next_in(*passed->node(q), from, d);
    unsure = false;
    open = begin && *begin < at;
    if (open) since = *begin;
  }
  // The same at the horizon: what is too much may come after it.
  void look_back_from_horizon() {
    Limits whole = limits;
    for (Limits::Limit& limit : whole) limit.used = 0;
    const auto over = last_over(*tree.root_node(), horizon - 1, tree.dimensions_, whole);
    const auto begin = tree.next(over && *over >= after ? *over + 1 : after);
    open = begin && *begin < horizon;
    if (open) since = *begin;
  }

  // Returns whether the run that is open then fits.
  bool scan(const LeafOf& leaf, Instant base) {
    const std::uint32_t d = tree.dimensions_;
    ++scanned;
    std::uint32_t row = after <= base ? 0 : leaf.at_or_after(after - base, d);
    const std::uint32_t rows = horizon <= base ? 0 : leaf.at_or_after(horizon - base, d);
    past_horizon = rows < leaf.count;
    const std::uint64_t over = rows_over(leaf, rows, limits), rest = row < 64 ? ~over : 0;
    return leaf.with_offsets(d, [&](const auto* offsets) {
      while (row < rows) {
        const std::uint64_t next = (open ? over : rest) >> row;
        row += static_cast<std::uint32_t>(std::countr_zero(next));
        if (row >= rows) break;
        const Instant at = base + offsets[row];
        if (open && at - since >= duration) return true;
        if (!open) since = at;
        open = !open;
        ++row;
      }
      return false;
    });
  }

  // Has what is below the quarters of a node brought near, while what is before it is walked. Short
  // walks would lose by it.
  void fetch(const NodeOf& node) {
    if (scanned < kLongWalk) return;
    const std::uint32_t d = tree.dimensions_;
    for (std::uint32_t q = 0; q < 4; ++q) {
      if (node.below[q] == nullptr) continue;
      fetch_near(node.below[q], node.is_leaf(q)
                                    ? LeafOf::bytes(LeafOf::kSteps / 2, {4, 1}, d)
                                    : sizeof(NodeOf) + NodeOf::words(d) * sizeof(Value));
    }
  }
  // The same of the first node of each level below a quarter.
  void fetch_first(const NodeOf& node, std::uint32_t q) {
    if (scanned < kLongWalk) return;
    for (const NodeOf* at = &node; !at->is_leaf(q) && at->below[q] != nullptr; q = 0) {
      at = at->node(q);
      fetch(*at);
    }
  }

  // What is to be done with a quarter.
  enum class Way { found, end, over, into };
  Way way(const NodeOf& node, std::uint32_t q) {
    const std::uint32_t d = tree.dimensions_, level = node.level - 1;
    const Instant start = node.quarter_start(q), last = node.quarter_last(q);
    if (last < after) return Way::over;
    if (start >= horizon) {
      past_horizon = true;
      return Way::end;
    }
    if (!unsure && long_enough(start)) return Way::found;
    if (open && within(node, q, kLargest, d, limits)) return Way::over;
    const bool known = window <= level && level - window <= kLargest;
    if (!within(node, q, known ? kLargest - (level - window) : kLeast, d, limits)) {
      // A run that is open may still be long enough in here.
      if (open && last - since >= duration) return Way::into;
      open = unsure = false;
      // Else it is above at all times.
      if (known && within(node, q, kLeast, d, limits)) be_unsure(node, q);
      return Way::over;
    }
    if (unsure) look_back(start);
    return open && within(node, q, kLargest, d, limits) ? Way::over : Way::into;
  }

  bool walk(const NodeOf& node) {
    const std::uint32_t d = tree.dimensions_;
    for (std::uint32_t q = 0; q < 4; ++q) {
      const Way what = way(node, q);
      if (what == Way::into && q < 3) fetch_first(node, q + 1);
      if (what == Way::found) return true;
      if (what == Way::end) return false;
      if (what == Way::over || node.below[q] == nullptr) {
        pass(node, q, d, limits);
      } else if (node.is_leaf(q)) {
        if (scan(*node.leaf(q), node.quarter_start(q))) return true;
        if (past_horizon) return false;
        pass(node, q, d, limits);
      } else {
        const NodeOf& child = *node.node(q);
        if (walk(child)) return true;
        if (past_horizon) return false;
        // The window may be in what is left of the quarter.
        if (!unsure || child.last() == node.quarter_last(q)) continue;
        past_horizon = child.last() >= horizon - 1;
        if (past_horizon) return false;
        look_back(child.last() + 1);
      }
    }
    return false;
  }
};

template <class Value>
std::optional<Instant> StepQueries<Value>::earliest_fit(Instant after, std::uint64_t duration,
                                                        Instant horizon, Amounts allowed) const {
  if (root_ == nullptr || after >= horizon) return std::nullopt;
  // 4^window <= (duration + 1) / 2
  const std::uint64_t half = duration / 2 + duration % 2;
  const auto width = static_cast<std::uint32_t>(std::bit_width(half));
  Fit fit{*this, Limits(allowed), after, duration, horizon, width == 0 ? 0 : (width - 1) / 2};
  const bool found = root_is_leaf_ ? fit.scan(*root_leaf(), base_) : fit.walk(*root_node());
  if (!found && fit.unsure) fit.look_back_from_horizon();
  return fit.open ? std::optional(fit.since) : std::nullopt;
}

template class StepQueries<std::int32_t>;
template class StepQueries<std::int64_t>;

}  // namespace copse::steps
