// SPDX-License-Identifier: Apache-2.0
//
// StepTree: the steps of a planner. Amounts in a Value: 32 or 64 bits.
//
// Up to 64 steps are one leaf. More are a tree over aligned blocks of time (step_node.hpp), four
// ways at each level, in which a leaf covers a quarter of a node. What a leaf or node says of
// amounts is relative to what is in use before it, so that a step changes only the path above it.
//
// Copies share nodes. A change takes those on its path for its own, from the root down: what is
// shared is copied, each with its leaves.
//
// Invariants
//   1. A node has two quarters with steps, or one with a leaf of many. No node of one node.
//   2. A node's sums and marks are right for what is below it (but between the two changes of one
//      span, for the nodes that cover both of its ends).
//   3. Leaves are not empty; a quarter's leaf has offsets from the quarter's start.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "time/step_node.hpp"

namespace copse::steps {

// Dimensions that a query limits, with what is allowed of each and what is in use where it is.
class Limits {
 public:
  explicit Limits(std::span<const std::int64_t> allowed);
  struct Limit {
    std::uint32_t dimension;
    std::int64_t allowed, used;
  };
  [[nodiscard]] Limit* begin() { return many_.empty() ? few_ : many_.data(); }
  [[nodiscard]] Limit* end() { return begin() + count_; }

 private:
  static constexpr std::size_t kFew = 8;
  std::size_t count_ = 0;
  Limit few_[kFew];
  std::vector<Limit> many_;  // if they are more than a few
};

template <class Value>
class StepTree {
 public:
  using Amounts = std::span<const std::int64_t>;

  explicit StepTree(std::uint32_t dimensions) : dimensions_(dimensions) {}
  ~StepTree() { clear(); }
  StepTree(const StepTree& other)  // O(1): a leaf is copied, a node shared
      : root_(other.root_),
        base_(other.base_),
        steps_(other.steps_),
        dimensions_(other.dimensions_),
        root_is_leaf_(other.root_is_leaf_) {
    if (root_ == nullptr) return;
    if (root_is_leaf_) {
      root_ = LeafOf::copy(*other.root_leaf(), dimensions_);
    } else {
      root_node()->owners.fetch_add(1, std::memory_order_relaxed);
    }
  }
  StepTree(StepTree&& other) noexcept
      : root_(std::exchange(other.root_, nullptr)),
        base_(other.base_),
        steps_(std::exchange(other.steps_, 0)),
        dimensions_(other.dimensions_),
        root_is_leaf_(other.root_is_leaf_) {}
  StepTree& operator=(const StepTree& other) { return *this = StepTree(other); }
  StepTree& operator=(StepTree&& other) noexcept {
    clear();
    root_ = std::exchange(other.root_, nullptr);
    base_ = other.base_;
    steps_ = std::exchange(other.steps_, 0);
    dimensions_ = other.dimensions_;
    root_is_leaf_ = other.root_is_leaf_;
    return *this;
  }

  [[nodiscard]] std::uint32_t dimensions() const { return dimensions_; }
  [[nodiscard]] std::size_t steps() const { return steps_; }

  // A span more (sign 1) or less (-1). REQUIRES that the changes and all amounts fit a Value.
  void add(Instant start, Instant end, const std::int64_t* amounts);
  void remove(Instant start, Instant end, const std::int64_t* amounts);
  // Adds a step as it is, with `references` spans that start or end there. REQUIRES that it is
  // later than all others.
  void append(Instant at, const std::int64_t* change, std::uint32_t references);

  [[nodiscard]] std::int64_t largest(std::uint32_t dimension, Instant first, Instant last) const;
  [[nodiscard]] std::int64_t smallest(std::uint32_t dimension) const;
  [[nodiscard]] std::optional<Instant> next(Instant from) const;
  [[nodiscard]] std::optional<Instant> earliest_fit(Instant after, std::uint64_t duration,
                                                    Instant horizon, Amounts allowed) const;

  // visit(context, at, amounts, references) for every step in order.
  using Visit = void (*)(void*, Instant, Amounts, std::uint32_t);
  void visit(Visit each, void* context) const;

 private:
  using LeafOf = Leaf<Value>;
  using NodeOf = Node<Value>;
  struct Path;
  struct Fit;

  void clear();
  [[nodiscard]] NodeOf* own(NodeOf* node) const;
  [[nodiscard]] LeafOf* root_leaf() const { return static_cast<LeafOf*>(root_); }
  [[nodiscard]] NodeOf* root_node() const { return static_cast<NodeOf*>(root_); }

  // Changes of structure
  LeafOf* make_step(Instant at, Path& path, std::uint32_t& row);
  LeafOf* make_root_step(Instant at, std::uint32_t& row);
  LeafOf* new_leaf(NodeOf& node, std::uint32_t quarter, Instant at, std::uint32_t& row);
  bool open_row(LeafOf*& leaf, std::uint64_t offset, std::uint32_t& row);
  NodeOf* split(LeafOf* leaf, Instant base);
  NodeOf* join(NodeOf* node, Instant at);
  void drop_step(LeafOf* leaf, Path& path, std::uint32_t row);
  void contract(Path& path);
  LeafOf* collapse(NodeOf* node, Instant base, std::uint8_t width, std::uint32_t steps);
  void place(LeafOf* leaf, Path& path);
  void change(Instant at, const std::int64_t* amounts, int sign, int reference, Instant partner,
              bool second);
  void refresh(Path& path, Instant at, Instant partner, bool second, const std::int64_t* amounts);
  void fetch(Instant start, Instant end) const;

  void* root_ = nullptr;
  Instant base_ = 0;  // of a leaf at the root
  std::size_t steps_ = 0;
  std::uint32_t dimensions_;
  bool root_is_leaf_ = false;
};

}  // namespace copse::steps
