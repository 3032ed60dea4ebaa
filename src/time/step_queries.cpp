// SPDX-License-Identifier: Apache-2.0
#include "time/step_queries.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "time/earliest_fit.hpp"

namespace copse::steps {

namespace {

// The extreme that is computed over a range of time: the largest or the smallest amount in use.
struct Maximum {
  static constexpr std::int64_t kNone = INT64_MIN;
  static constexpr std::uint32_t kMark = kLargest;
  template <class Value>
  static Value of(Value a, Value b) {
    return std::max(a, b);
  }
};
struct Minimum {
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

// The largest or smallest amount over [first, last], which overlaps the node; relative to the
// amount before the node.
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

// The same over all steps.
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
  return root_is_leaf_
             ? extreme_of<Maximum>(*root_leaf(), base_, dimension, first, last, dimensions_)
             : extreme_of<Maximum>(*root_node(), dimension, first, last, dimensions_);
}

template <class Value>
std::int64_t StepQueries<Value>::least(std::uint32_t dimension, Instant first, Instant last) const {
  if (root_ == nullptr) return 0;
  return root_is_leaf_
             ? extreme_of<Minimum>(*root_leaf(), base_, dimension, first, last, dimensions_)
             : extreme_of<Minimum>(*root_node(), dimension, first, last, dimensions_);
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

// The run begins at the step after the last one at which a limit is exceeded.
template <class Value>
Instant StepQueries<Value>::run_before(Instant at, Amounts allowed) const {
  if (root_ == nullptr || at == 0) return 0;
  const auto find = [&]<class Limits>(Limits limits) {
    return root_is_leaf_ ? last_over(*root_leaf(), base_, at - 1, dimensions_, limits)
                         : last_over(*root_node(), at - 1, dimensions_, limits);
  };
  const auto over =
      limit_count(allowed) == 1 ? find(SingleLimit(allowed)) : find(LimitList(allowed));
  if (!over) return 0;
  const auto begin = over->next ? over->next : next(over->at + 1);
  return begin ? std::min(*begin, at) : at;
}

template <class Value>
std::optional<Instant> StepQueries<Value>::earliest_fit(Instant after, std::uint64_t duration,
                                                        Instant horizon, Amounts allowed,
                                                        AtHorizon at_horizon) const {
  if (root_ == nullptr || after >= horizon) return std::nullopt;
  // 4^window <= (duration + 1) / 2
  const std::uint64_t half = duration / 2 + duration % 2;
  const auto width = static_cast<std::uint32_t>(std::bit_width(half));
  const std::uint32_t window = width == 0 ? 0 : (width - 1) / 2;
  const auto find = [&]<class Limits>(const Limits& limits) {
    EarliestFit<Value, Limits> fit(limits, after, duration, horizon, at_horizon, window,
                                   dimensions_);
    return root_is_leaf_ ? fit.of(*root_leaf(), base_) : fit.of(*root_node());
  };
  return limit_count(allowed) == 1 ? find(SingleLimit(allowed)) : find(LimitList(allowed));
}

template class StepQueries<std::int32_t>;
template class StepQueries<std::int64_t>;

}  // namespace copse::steps
