// SPDX-License-Identifier: Apache-2.0
#include "time/planner.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace copse {

namespace {
constexpr std::size_t kLeafRows = 64;
constexpr std::size_t kInnerRows = 32;
}  // namespace

// A row of a leaf:  time, references, used[D].
// A row of an inner node: time of the first step below, largest[D], smallest[D], pending[D].
struct Planner::Node {
  bool leaf = true;
  std::vector<std::int64_t> cells;
  std::vector<std::unique_ptr<Node>> below;  // inner: one a row

  [[nodiscard]] std::size_t stride(std::uint32_t d) const { return leaf ? 2 + d : 1 + 3u * d; }
  [[nodiscard]] std::size_t rows(std::uint32_t d) const { return cells.size() / stride(d); }
  [[nodiscard]] std::int64_t* row(std::size_t i, std::uint32_t d) { return &cells[i * stride(d)]; }
  [[nodiscard]] const std::int64_t* row(std::size_t i, std::uint32_t d) const {
    return &cells[i * stride(d)];
  }
  [[nodiscard]] std::int64_t time(std::size_t i, std::uint32_t d) const {
    return cells[i * stride(d)];
  }
  // The last row that begins at or before `time`; 0 if there is none.
  [[nodiscard]] std::size_t row_at(std::int64_t time, std::uint32_t d) const {
    std::size_t lo = 0, hi = rows(d);
    const std::size_t s = stride(d);
    while (hi - lo > 1) {
      const std::size_t mid = (lo + hi) / 2;
      (cells[mid * s] <= time ? lo : hi) = mid;
    }
    return lo;
  }
};

Planner::Planner(std::uint32_t dimensions) : dimensions_(dimensions) {}
Planner::~Planner() = default;
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;

namespace {

// Sets an inner row's largest and smallest from the node below it and its own pending addition.
template <class Node>
void summarize(Node& parent, std::size_t i, std::uint32_t d) {
  const Node& child = *parent.below[i];
  std::int64_t* out = parent.row(i, d);
  out[0] = child.time(0, d);
  const std::size_t rows = child.rows(d), stride = child.stride(d);
  for (std::uint32_t k = 0; k < d; ++k) {
    const std::int64_t* high = child.cells.data() + (child.leaf ? 2 + k : 1 + k);
    const std::int64_t* low = child.cells.data() + (child.leaf ? 2 + k : 1 + d + k);
    std::int64_t largest = *high, smallest = *low;
    for (std::size_t r = 1; r < rows; ++r) {
      largest = std::max(largest, high[r * stride]);
      smallest = std::min(smallest, low[r * stride]);
    }
    const std::int64_t pending = out[1 + 2 * d + k];
    out[1 + k] = largest + pending;
    out[1 + d + k] = smallest + pending;
  }
}

// Splits row i of an inner node in two; both keep the pending addition.
template <class Node>
void split(Node& parent, std::size_t i, std::uint32_t d) {
  Node& left = *parent.below[i];
  auto right = std::make_unique<Node>();
  right->leaf = left.leaf;
  const std::size_t rows = left.rows(d), keep = rows / 2;
  const auto cut = static_cast<std::ptrdiff_t>(keep * left.stride(d));
  right->cells.assign(left.cells.begin() + cut, left.cells.end());
  left.cells.erase(left.cells.begin() + cut, left.cells.end());
  if (!left.leaf) {
    for (std::size_t r = keep; r < rows; ++r) right->below.push_back(std::move(left.below[r]));
    left.below.resize(keep);
  }
  const std::vector<std::int64_t> copy(parent.row(i, d), parent.row(i, d) + parent.stride(d));
  parent.cells.insert(
      parent.cells.begin() + static_cast<std::ptrdiff_t>((i + 1) * parent.stride(d)), copy.begin(),
      copy.end());
  parent.below.insert(parent.below.begin() + static_cast<std::ptrdiff_t>(i + 1), std::move(right));
  summarize(parent, i, d);
  summarize(parent, i + 1, d);
}

template <class Node>
std::size_t capacity(const Node& node) {
  return node.leaf ? kLeafRows : kInnerRows;
}

// Makes a step at `time` with the amounts in force there; `above` is what is pending above `node`.
// Returns whether the step is new.
template <class Node>
bool insert_step(Node& node, std::int64_t time, std::uint32_t d, std::int64_t* above) {
  const std::size_t i = node.row_at(time, d);
  if (!node.leaf) {
    std::int64_t* row = node.row(i, d);
    for (std::uint32_t k = 0; k < d; ++k) above[k] += row[1 + 2 * d + k];
    const bool made = insert_step(*node.below[i], time, d, above);
    if (!made) return false;
    if (node.below[i]->rows(d) > capacity(*node.below[i])) {
      split(node, i, d);
    } else {
      summarize(node, i, d);
    }
    return true;
  }
  const std::size_t stride = node.stride(d);
  if (!node.cells.empty() && node.time(i, d) == time) {
    ++node.row(i, d)[1];
    return false;
  }
  const bool before_all = node.cells.empty() || node.time(0, d) > time;
  const std::size_t at = before_all ? 0 : i + 1;
  node.cells.insert(node.cells.begin() + static_cast<std::ptrdiff_t>(at * stride), stride, 0);
  std::int64_t* row = node.row(at, d);
  row[0] = time;
  row[1] = 1;
  for (std::uint32_t k = 0; k < d; ++k) {
    row[2 + k] = before_all ? -above[k] : (row - stride)[2 + k];
  }
  return true;
}

// Drops one reference to the step at `time`, and the step with its last one. Nodes that become
// empty go, and a leaf joins its neighbour when both are small. Returns whether the step is gone.
template <class Node>
bool remove_step(Node& node, std::int64_t time, std::uint32_t d) {
  const std::size_t i = node.row_at(time, d);
  const auto at = static_cast<std::ptrdiff_t>(i);
  const auto stride = static_cast<std::ptrdiff_t>(node.stride(d));
  if (node.leaf) {
    assert(node.time(i, d) == time);
    if (--node.row(i, d)[1] > 0) return false;
    node.cells.erase(node.cells.begin() + at * stride, node.cells.begin() + (at + 1) * stride);
    return true;
  }
  Node& child = *node.below[i];
  if (!remove_step(child, time, d)) return false;
  if (child.cells.empty()) {
    node.cells.erase(node.cells.begin() + at * stride, node.cells.begin() + (at + 1) * stride);
    node.below.erase(node.below.begin() + at);
    return true;
  }
  if (child.leaf && i + 1 < node.rows(d) &&
      child.rows(d) + node.below[i + 1]->rows(d) <= kLeafRows / 2) {
    Node& next = *node.below[i + 1];
    const std::int64_t* mine = node.row(i, d) + 1 + 2 * d;
    const std::int64_t* other = node.row(i + 1, d) + 1 + 2 * d;
    for (std::size_t r = 0; r < next.rows(d); ++r) {
      for (std::uint32_t k = 0; k < d; ++k) next.row(r, d)[2 + k] += other[k] - mine[k];
    }
    child.cells.insert(child.cells.end(), next.cells.begin(), next.cells.end());
    node.cells.erase(node.cells.begin() + (at + 1) * stride,
                     node.cells.begin() + (at + 2) * stride);
    node.below.erase(node.below.begin() + at + 1);
  }
  summarize(node, i, d);
  return true;
}

// Adds to every step in [start, end); [.., until) is what the node covers.
template <class Node>
void add_to_range(Node& node, std::int64_t start, std::int64_t end, std::int64_t until,
                  const std::int64_t* amounts, std::int64_t sign, std::uint32_t d) {
  const std::size_t rows = node.rows(d);
  for (std::size_t i = node.row_at(start, d); i < rows; ++i) {
    std::int64_t* row = node.row(i, d);
    if (row[0] >= end) break;
    if (node.leaf) {
      if (row[0] < start) continue;
      for (std::uint32_t k = 0; k < d; ++k) row[2 + k] += sign * amounts[k];
      continue;
    }
    const std::int64_t row_end = i + 1 < rows ? node.time(i + 1, d) : until;
    if (row[0] >= start && row_end <= end) {
      for (std::uint32_t k = 0; k < d; ++k) {
        row[1 + k] += sign * amounts[k];
        row[1 + d + k] += sign * amounts[k];
        row[1 + 2 * d + k] += sign * amounts[k];
      }
    } else if (row_end > start) {
      add_to_range(*node.below[i], start, end, row_end, amounts, sign, d);
      summarize(node, i, d);
    }
  }
}

template <class Node>
std::int64_t largest_in(const Node& node, std::uint32_t dim, std::int64_t start, std::int64_t end,
                        std::int64_t until, std::uint32_t d) {
  std::int64_t largest = INT64_MIN;
  const std::size_t rows = node.rows(d);
  for (std::size_t i = node.row_at(start, d); i < rows; ++i) {
    const std::int64_t* row = node.row(i, d);
    if (row[0] >= end) break;
    const std::int64_t row_end = i + 1 < rows ? node.time(i + 1, d) : until;
    if (row_end <= start) continue;
    if (node.leaf) {
      largest = std::max(largest, row[2 + dim]);
    } else if (row[0] >= start && row_end <= end) {
      largest = std::max(largest, row[1 + dim]);
    } else {
      const std::int64_t inner = largest_in(*node.below[i], dim, start, end, row_end, d);
      if (inner != INT64_MIN) largest = std::max(largest, inner + row[1 + 2 * d + dim]);
    }
  }
  return largest;
}

// The first step in [from, end) for which, of allowed less what is pending above, `over` says:
// true: some dimension is above it; false: all are within. INT64_MAX if there is none.
template <class Node>
std::int64_t find_step(const Node& node, std::int64_t from, std::int64_t end,
                       const std::vector<std::int64_t>& allowed, bool over, std::uint32_t d) {
  const std::size_t rows = node.rows(d);
  std::vector<std::int64_t> below;
  for (std::size_t i = node.row_at(from, d); i < rows; ++i) {
    const std::int64_t* row = node.row(i, d);
    if (row[0] >= end) break;
    if (node.leaf && row[0] < from) continue;
    const std::int64_t* values = node.leaf ? row + 2 : over ? row + 1 : row + 1 + d;
    bool some_over = false;
    for (std::uint32_t k = 0; k < d; ++k) some_over |= values[k] > allowed[k];
    if (some_over != over) continue;
    if (node.leaf) return row[0];
    below.assign(allowed.begin(), allowed.end());
    for (std::uint32_t k = 0; k < d; ++k) {
      // Without a bound it stays without: what is pending may be negative.
      if (below[k] != INT64_MAX) below[k] -= row[1 + 2 * d + k];
    }
    const std::int64_t found = find_step(*node.below[i], from, end, below, over, d);
    if (found != INT64_MAX) return found;
  }
  return INT64_MAX;
}

}  // namespace

void Planner::add_step(std::int64_t time) {
  if (root_ == nullptr) root_ = std::make_unique<Node>();
  std::vector<std::int64_t> above(dimensions_, 0);
  if (insert_step(*root_, time, dimensions_, above.data())) ++steps_;
  if (root_->rows(dimensions_) <= capacity(*root_)) return;
  auto top = std::make_unique<Node>();
  top->leaf = false;
  top->cells.assign(1 + 3u * dimensions_, 0);
  top->below.push_back(std::move(root_));
  split(*top, 0, dimensions_);
  root_ = std::move(top);
}

void Planner::drop_step(std::int64_t time) {
  if (!remove_step(*root_, time, dimensions_)) return;
  if (--steps_ == 0) {
    root_.reset();
    return;
  }
  while (!root_->leaf && root_->below.size() == 1) {
    std::unique_ptr<Node> child = std::move(root_->below[0]);
    const std::int64_t* pending = root_->row(0, dimensions_) + 1 + 2 * dimensions_;
    for (std::size_t r = 0; r < child->rows(dimensions_); ++r) {
      std::int64_t* row = child->row(r, dimensions_);
      for (std::uint32_t k = 0; k < dimensions_; ++k) {
        if (child->leaf) {
          row[2 + k] += pending[k];
        } else {
          for (std::uint32_t part = 0; part < 3; ++part)
            row[1 + part * dimensions_ + k] += pending[k];
        }
      }
    }
    root_ = std::move(child);
  }
}

void Planner::add_range(std::int64_t start, std::int64_t end, const std::int64_t* amounts,
                        int sign) {
  add_to_range(*root_, start, end, INT64_MAX, amounts, sign, dimensions_);
}

void Planner::add(std::int64_t start, std::int64_t end, Amounts amounts) {
  assert(start < end && amounts.size() == dimensions_);
  add_step(start);
  add_step(end);
  add_range(start, end, amounts.data(), 1);
}

void Planner::remove(std::int64_t start, std::int64_t end, Amounts amounts) {
  assert(root_ != nullptr && amounts.size() == dimensions_);
  add_range(start, end, amounts.data(), -1);
  drop_step(start);
  drop_step(end);
}

std::int64_t Planner::max_used(std::uint32_t dimension, std::int64_t start,
                               std::int64_t end) const {
  if (root_ == nullptr) return 0;
  const std::int64_t inside = largest_in(*root_, dimension, start, end, INT64_MAX, dimensions_);
  const bool before_all = root_->time(0, dimensions_) > start;
  return before_all ? std::max<std::int64_t>(inside, 0) : inside;
}

std::optional<std::int64_t> Planner::next_step(std::int64_t time) const {
  const Node* node = root_.get();
  if (node == nullptr) return std::nullopt;
  std::optional<std::int64_t> later;  // the first step of the next subtree on the right
  while (!node->leaf) {
    const std::size_t i = node->row_at(time, dimensions_);
    if (i + 1 < node->rows(dimensions_)) later = node->time(i + 1, dimensions_);
    node = node->below[i].get();
  }
  for (std::size_t i = node->row_at(time, dimensions_); i < node->rows(dimensions_); ++i) {
    if (node->time(i, dimensions_) >= time) return node->time(i, dimensions_);
  }
  return later;
}

std::optional<std::int64_t> Planner::first_over(std::int64_t from, std::int64_t until,
                                                Amounts allowed) const {
  const std::vector<std::int64_t> limits(allowed.begin(), allowed.end());
  const std::int64_t t = find_step(*root_, from, until, limits, true, dimensions_);
  return t == INT64_MAX ? std::nullopt : std::optional(t);
}

std::optional<std::int64_t> Planner::first_within(std::int64_t from, Amounts allowed) const {
  const std::vector<std::int64_t> limits(allowed.begin(), allowed.end());
  const std::int64_t t = find_step(*root_, from, INT64_MAX, limits, false, dimensions_);
  return t == INT64_MAX ? std::nullopt : std::optional(t);
}

std::optional<std::int64_t> Planner::earliest_fit(std::int64_t after, std::int64_t duration,
                                                  std::int64_t horizon, Amounts allowed) const {
  std::optional<std::int64_t> t = next_step(after);
  while (t && *t < horizon) {
    const std::int64_t end = duration < horizon - *t ? *t + duration : horizon;
    const std::optional<std::int64_t> bad = first_over(*t, end, allowed);
    if (!bad) return t;
    t = first_within(*bad, allowed);
  }
  return std::nullopt;
}

void Planner::visit_steps(Steps visit, void* context) const {
  struct Frame {
    const Node* node;
    std::size_t row;
    std::vector<std::int64_t> pending;
  };
  if (root_ == nullptr) return;
  std::vector<Frame> stack;
  stack.push_back({root_.get(), 0, std::vector<std::int64_t>(dimensions_, 0)});
  std::vector<std::int64_t> amounts(dimensions_);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.row == top.node->rows(dimensions_)) {
      stack.pop_back();
      continue;
    }
    const std::int64_t* row = top.node->row(top.row, dimensions_);
    const std::size_t i = top.row++;
    if (top.node->leaf) {
      for (std::uint32_t k = 0; k < dimensions_; ++k) amounts[k] = row[2 + k] + top.pending[k];
      visit(context, row[0], amounts);
    } else {
      Frame next{top.node->below[i].get(), 0, top.pending};
      for (std::uint32_t k = 0; k < dimensions_; ++k) {
        next.pending[k] += row[1 + 2 * dimensions_ + k];
      }
      stack.push_back(std::move(next));
    }
  }
}

}  // namespace copse
