// SPDX-License-Identifier: Apache-2.0
#include "time/step_tree.hpp"

#include <algorithm>

#include "time/prefetch.hpp"

namespace copse::steps {

namespace {
constexpr std::uint32_t kFewSteps = 8;  // a leaf with fewer steps may be merged with its neighbours
constexpr std::uint32_t kOneLeaf = 32;  // … if together they have no more than this
constexpr std::uint32_t kDepthMax = 32;      // levels
constexpr std::size_t kManySteps = 100'000;  // more than fit the caches of a processor
// The lowest level of a node. Its quarters have 64 seconds, not less than their windows. A leaf of
// 64 seconds holds all possible steps, and is never split.
constexpr std::uint32_t kLeastLevel = 4;

template <class Value>
void drop(Node<Value>* node) {  // at most kLevelsMax deep
  if (node->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  for (std::uint32_t q = 0; q < 4; ++q) {
    if (node->below[q] == nullptr) continue;
    if (node->is_leaf(q)) {
      Leaf<Value>::free(node->leaf(q));
    } else {
      drop(node->node(q));
    }
  }
  Node<Value>::free(node);
}
}  // namespace

// The path from the root to the quarter whose leaf has a step.
template <class Value>
struct StepTree<Value>::Path {
  NodeOf* node[kDepthMax];
  std::uint32_t quarter[kDepthMax];
  std::uint32_t depth = 0;

  void push(NodeOf* to, std::uint32_t q) {
    node[depth] = to;
    quarter[depth++] = q;
  }
};

template <class Value>
void StepTree<Value>::clear() {
  if (root_ == nullptr) return;
  if (root_is_leaf_) {
    LeafOf::free(root_leaf());
  } else {
    drop(root_node());
  }
  root_ = nullptr;
}

// The node, or a copy that replaces it if it is shared.
template <class Value>
typename StepTree<Value>::NodeOf* StepTree<Value>::own(NodeOf* node) const {
  if (node->alone()) return node;
  NodeOf* copy = node->copy(dimensions_);
  drop(node);
  return copy;
}

// The row of a step in a leaf, inserted if it is missing; false if the leaf is full.
template <class Value>
bool StepTree<Value>::open_row(LeafOf*& leaf, std::uint64_t offset, std::uint32_t& row) {
  row = leaf->at_or_after(offset, dimensions_);
  if (row < leaf->count && leaf->offset(row, dimensions_) == offset) return true;
  if (leaf->count == LeafOf::kSteps) return false;
  if (leaf->count == leaf->capacity) {
    leaf = LeafOf::remade(leaf, leaf->count + 1u, leaf->widths, 0, dimensions_);
  }
  leaf->open(row, offset, dimensions_);
  ++steps_;
  return true;
}

// A leaf at the root has its own base: 2^31 s before its first step, so that 4-byte offsets reach
// 68 years in both directions.
template <class Value>
typename StepTree<Value>::LeafOf* StepTree<Value>::make_root_step(Instant at, std::uint32_t& row) {
  constexpr Instant kBefore = Instant{1} << 31;
  if (root_ == nullptr) {
    root_ = LeafOf::make(2, {}, dimensions_);
    root_is_leaf_ = true;
    base_ = at - std::min(at, kBefore);
  }
  LeafOf* leaf = root_leaf();
  if (leaf->widths.offset < 8 && (at < base_ || at - base_ > UINT32_MAX)) {
    leaf = LeafOf::remade(leaf, leaf->count, {8, leaf->widths.references}, base_, dimensions_);
    base_ = 0;
  }
  const bool made = open_row(leaf, at - base_, row);
  root_ = leaf;
  if (made) return leaf;
  root_ = split(leaf, base_);
  root_is_leaf_ = false;
  return nullptr;
}

template <class Value>
typename StepTree<Value>::LeafOf* StepTree<Value>::new_leaf(NodeOf& node, std::uint32_t quarter,
                                                            Instant at, std::uint32_t& row) {
  LeafOf* leaf = LeafOf::make(4, {offset_bytes(node.level - 1), 1}, dimensions_);
  open_row(leaf, at - node.quarter_start(quarter), row);
  node.set_leaf(quarter, leaf);
  return leaf;
}

// The leaf and row of the step `at`, inserted if it is missing, and the path to it.
template <class Value>
typename StepTree<Value>::LeafOf* StepTree<Value>::make_step(Instant at, Path& path,
                                                             std::uint32_t& row) {
  if (root_ == nullptr || root_is_leaf_) {
    if (LeafOf* leaf = make_root_step(at, row)) return leaf;
  }
  root_ = root_node()->contains(at) ? own(root_node()) : join(root_node(), at);
  for (NodeOf* node = root_node();;) {
    const std::uint32_t q = node->quarter_of(at);
    path.push(node, q);
    if (node->below[q] == nullptr) return new_leaf(*node, q, at, row);
    if (node->is_leaf(q)) {
      LeafOf* leaf = node->leaf(q);
      const bool made = open_row(leaf, at - node->quarter_start(q), row);
      node->below[q] = leaf;
      if (made) return leaf;
      node->set_node(q, split(leaf, node->quarter_start(q)));
    }
    NodeOf* below = node->node(q);
    node->set_node(q, below->contains(at) ? own(below) : join(below, at));
    node = node->node(q);
  }
}

// Makes a node with the steps of a leaf, in leaves of its quarters.
template <class Value>
typename StepTree<Value>::NodeOf* StepTree<Value>::split(LeafOf* leaf, Instant base) {
  const Instant first = base + leaf->offset(0, dimensions_),
                last = base + leaf->offset(leaf->count - 1u, dimensions_);
  NodeOf* node = NodeOf::make(first, std::max(common_level(first, last), kLeastLevel), dimensions_);
  const typename LeafOf::Widths widths{offset_bytes(node->level - 1), leaf->widths.references};
  for (std::uint32_t q = 0, from = 0; q < 4; ++q) {
    // Steps are not before the base of their leaf; a quarter of the node may end before it.
    std::uint32_t to = leaf->count;
    if (q < 3) {
      const Instant end = node->quarter_start(q + 1);
      to = end <= base ? from : leaf->at_or_after(end - base, dimensions_);
    }
    if (to > from) {
      LeafOf* part = LeafOf::make(to - from + 1, widths, dimensions_);
      part->append(*leaf, from, to, node->quarter_start(q) - base, dimensions_);
      node->set_leaf(q, part);
    }
    node->refresh(q, dimensions_);
    from = to;
  }
  LeafOf::free(leaf);
  return node;
}

// Makes a node that contains `at` and the given node, which does not contain it.
template <class Value>
typename StepTree<Value>::NodeOf* StepTree<Value>::join(NodeOf* node, Instant at) {
  NodeOf* above = NodeOf::make(at, common_level(node->start, at), dimensions_);
  const std::uint32_t q = above->quarter_of(node->start);
  above->set_node(q, node);
  above->refresh(q, dimensions_);
  return above;
}

// Replaces a node that has only leaves by one leaf.
template <class Value>
typename StepTree<Value>::LeafOf* StepTree<Value>::collapse(NodeOf* node, Instant base,
                                                            std::uint8_t width,
                                                            std::uint32_t steps) {
  typename LeafOf::Widths widths{width, 1};
  for (std::uint32_t q = 0; q < 4; ++q) {
    if (node->below[q] == nullptr) continue;
    widths.references = std::max(widths.references, node->leaf(q)->widths.references);
  }
  LeafOf* leaf = LeafOf::make(steps, widths, dimensions_);
  for (std::uint32_t q = 0; q < 4; ++q) {
    if (node->below[q] == nullptr) continue;
    // Offsets grow by the start of the quarter: unsigned numbers wrap.
    leaf->append(*node->leaf(q), 0, node->leaf(q)->count, base - node->quarter_start(q),
                 dimensions_);
    LeafOf::free(node->leaf(q));
  }
  NodeOf::free(node);
  return leaf;
}

// Removes the lowest node of the path if it is no longer needed.
template <class Value>
void StepTree<Value>::contract(Path& path) {
  NodeOf* node = path.node[path.depth - 1];
  std::uint32_t parts = 0, nodes = 0, steps = 0, some = 0;
  for (std::uint32_t q = 0; q < 4; ++q) {
    if (node->below[q] == nullptr) continue;
    ++parts;
    some = q;
    if (node->is_leaf(q)) {
      steps += node->leaf(q)->count;
    } else {
      ++nodes;
    }
  }
  const bool to_leaf = nodes == 0 && steps <= kOneLeaf, to_node = nodes == 1 && parts == 1;
  if (!to_leaf && !to_node) return;
  --path.depth;
  NodeOf* above = path.depth == 0 ? nullptr : path.node[path.depth - 1];
  if (to_node) {
    NodeOf* child = node->node(some);
    NodeOf::free(node);
    if (above == nullptr) {
      root_ = child;
    } else {
      above->set_node(path.quarter[path.depth - 1], child);
    }
  } else if (above == nullptr) {
    const bool wide = node->level > 16;
    base_ = wide ? 0 : node->start;
    root_ = collapse(node, base_, wide ? 8 : 4, steps);
    root_is_leaf_ = true;
  } else {
    const std::uint32_t q = path.quarter[path.depth - 1];
    above->set_leaf(q,
                    collapse(node, above->quarter_start(q), offset_bytes(above->level - 1), steps));
  }
}

// Puts a leaf at the end of a path.
template <class Value>
void StepTree<Value>::place(LeafOf* leaf, Path& path) {
  if (path.depth == 0) {
    root_ = leaf;
  } else {
    path.node[path.depth - 1]->below[path.quarter[path.depth - 1]] = leaf;
  }
}

// Removes a step at which no span starts or ends.
template <class Value>
void StepTree<Value>::drop_step(LeafOf* leaf, Path& path, std::uint32_t row) {
  leaf->erase(row, dimensions_);
  --steps_;
  NodeOf* node = path.depth == 0 ? nullptr : path.node[path.depth - 1];
  if (leaf->count == 0) {
    LeafOf::free(leaf);
    if (node == nullptr) {
      root_ = nullptr;
      return;
    }
    node->set_node(path.quarter[path.depth - 1], nullptr);
    node->refresh(path.quarter[path.depth - 1], dimensions_);
  } else if (leaf->count + 16u <= leaf->capacity) {
    leaf = LeafOf::remade(leaf, leaf->count + 1u, leaf->widths, 0, dimensions_);
    place(leaf, path);
  }
  if (node != nullptr &&
      (node->below[path.quarter[path.depth - 1]] == nullptr || leaf->count <= kFewSteps)) {
    contract(path);
  }
}

// Recomputes sums and marks above a changed leaf. Of the two changes of a span, the first leaves
// the common ancestors to the second, as most of the two changes cancels there.
template <class Value>
void StepTree<Value>::refresh(Path& path, Instant at, Instant partner, bool second,
                              const std::int64_t* amounts) {
  bool joined = false;
  for (std::uint32_t i = path.depth; i-- > 0;) {
    NodeOf* node = path.node[i];
    const bool both = node->contains(partner) && node->contains(at);
    if (both && !second && node->quarter_of(partner) == node->quarter_of(at)) return;
    const bool changed = node->refresh(path.quarter[i], dimensions_, amounts);
    if (both && (!second || (joined && !changed))) return;
    joined = both;
  }
}

template <class Value>
void StepTree<Value>::change(Instant at, const std::int64_t* amounts, int sign, int reference,
                             Instant partner, bool second) {
  Path path;
  std::uint32_t row = 0;
  LeafOf* leaf = make_step(at, path, row);
  leaf->change(row, amounts, sign, dimensions_);
  const std::uint32_t references =
      leaf->references(row, dimensions_) + static_cast<std::uint32_t>(reference);
  if (references > UINT8_MAX && leaf->widths.references == 1) {
    leaf = LeafOf::remade(leaf, leaf->count, {leaf->widths.offset, 4}, 0, dimensions_);
    place(leaf, path);
  }
  leaf->set_references(row, references, dimensions_);
  if (references == 0) drop_step(leaf, path, row);
  refresh(path, at, partner, second, amounts);
}

// Prefetches the nodes that the two changes of a span need, both at once: in a large tree, most of
// the time would otherwise be spent waiting for one after the other.
template <class Value>
void StepTree<Value>::fetch(Instant start, Instant end) const {
  if (steps_ < kManySteps) return;
  const std::size_t node_bytes = sizeof(NodeOf) + 4u * dimensions_ * (1 + kMarks) * sizeof(Value);
  const std::size_t leaf_bytes = LeafOf::bytes(LeafOf::kSteps * 5 / 8, {2, 1}, dimensions_);
  const NodeOf* at[2] = {root_node(), root_node()};
  const Instant to[2] = {start, end};
  while (at[0] != nullptr || at[1] != nullptr) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (at[i] == nullptr) continue;
      const std::uint32_t q = at[i]->quarter_of(to[i]);
      const bool leaf = at[i]->is_leaf(q);
      const void* below = at[i]->below[q];
      if (below != nullptr) prefetch(below, leaf ? leaf_bytes : node_bytes);
      at[i] = leaf ? nullptr : at[i]->node(q);
    }
  }
}

template <class Value>
void StepTree<Value>::add(Instant start, Instant end, const std::int64_t* amounts) {
  fetch(start, end);
  change(start, amounts, 1, 1, end, false);
  change(end, amounts, -1, 1, start, true);
}

template <class Value>
void StepTree<Value>::remove(Instant start, Instant end, const std::int64_t* amounts) {
  fetch(start, end);
  change(start, amounts, -1, -1, end, false);
  change(end, amounts, 1, -1, start, true);
}

// Each end and its new time are one pair, so that common ancestors are updated once. In between,
// amounts are smaller than before or after, and so fit a Value.
template <class Value>
void StepTree<Value>::move(Instant start, Instant end, Instant to_start, Instant to_end,
                           const std::int64_t* amounts) {
  fetch(start, end);
  fetch(to_start, to_end);
  if (to_start != start) {
    change(start, amounts, -1, -1, to_start, false);
    change(to_start, amounts, 1, 1, start, true);
  }
  if (to_end != end) {
    change(to_end, amounts, -1, 1, end, false);
    change(end, amounts, 1, -1, to_end, true);
  }
}

template <class Value>
void StepTree<Value>::append(Instant at, const std::int64_t* amounts, std::uint32_t references) {
  change(at, amounts, 1, static_cast<int>(references), at, true);
}

template class StepTree<std::int32_t>;
template class StepTree<std::int64_t>;

}  // namespace copse::steps
