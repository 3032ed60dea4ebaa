// SPDX-License-Identifier: Apache-2.0
//
// StepTree: the steps of a planner. Amounts are of type Value: 32 or 64 bits.
//
// Up to 64 steps are one leaf. More are a tree over aligned blocks of time (step_node.hpp), four
// ways at each level, in which a leaf covers a quarter of a node. Amounts in a leaf or node are
// relative to the amount before it, so that a step changes only the path above it.
//
// Copies share nodes (copy on write). A change copies the shared nodes on its path, with their
// leaves, from the root down.
//
// Invariants
//   1. A node has at least two quarters with steps, or one with a large leaf; never a single node.
//   2. A node's sums and marks match its children (except between the two changes of one
//      span, for the nodes that cover both of its ends).
//   3. Leaves are not empty; a quarter's leaf has offsets from the quarter's start.
#pragma once

#include <cstdint>
#include <utility>

#include "time/step_queries.hpp"

namespace copse::steps {

template <class Value>
class StepTree : public StepQueries<Value> {
 public:
  explicit StepTree(std::uint32_t dimensions) : StepQueries<Value>(dimensions) {}
  ~StepTree() { clear(); }
  StepTree(const StepTree& other)  // O(1): a leaf is copied, a node shared
      : StepQueries<Value>(other), steps_(other.steps_) {
    if (root_ == nullptr) return;
    if (root_is_leaf_) {
      root_ = LeafOf::copy(*other.root_leaf(), dimensions_);
    } else {
      root_node()->owners.fetch_add(1, std::memory_order_relaxed);
    }
  }
  StepTree(StepTree&& other) noexcept
      : StepQueries<Value>(other), steps_(std::exchange(other.steps_, 0)) {
    other.root_ = nullptr;
  }
  StepTree& operator=(const StepTree& other) { return *this = StepTree(other); }
  StepTree& operator=(StepTree&& other) noexcept {
    clear();
    StepQueries<Value>::operator=(other);
    other.root_ = nullptr;
    steps_ = std::exchange(other.steps_, 0);
    return *this;
  }

  [[nodiscard]] std::size_t steps() const { return steps_; }

  // Adds or removes a span. REQUIRES that the changes and all amounts fit a Value.
  void add(Instant start, Instant end, const std::int64_t* amounts);
  void remove(Instant start, Instant end, const std::int64_t* amounts);
  // Moves a span. If an end and its new time are in one leaf, nothing above it changes.
  void move(Instant start, Instant end, Instant to_start, Instant to_end,
            const std::int64_t* amounts);
  // Appends a step, with `references` spans that start or end there. REQUIRES that it is later than
  // all others.
  void append(Instant at, const std::int64_t* change, std::uint32_t references);

 private:
  using typename StepQueries<Value>::LeafOf;
  using typename StepQueries<Value>::NodeOf;
  using StepQueries<Value>::root_leaf;
  using StepQueries<Value>::root_node;
  using StepQueries<Value>::root_;
  using StepQueries<Value>::base_;
  using StepQueries<Value>::dimensions_;
  using StepQueries<Value>::root_is_leaf_;
  struct Path;

  void clear();
  [[nodiscard]] NodeOf* own(NodeOf* node) const;

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

  std::size_t steps_ = 0;
};

}  // namespace copse::steps
