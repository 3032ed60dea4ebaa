// SPDX-License-Identifier: Apache-2.0
//
// StepNode: an aligned block of time, of 4^level seconds, in four quarters.
//
// A quarter is empty, a leaf, or a node (which may cover only part of it: levels at which all steps
// are in one quarter have no node). For each quarter and dimension, a node has the sum of the
// changes and twelve *marks*: amounts relative to the amount in use before the quarter:
//
//   marks[kLargest - j], j = 0 … 10: the least, over the aligned windows of 4^(level of the quarter
//       - j) seconds in the quarter, of the largest amount in use in the window; so j = 0 is the
//       largest amount of the whole quarter. A free run of 2·4^c - 1 seconds contains an aligned
//       window of 4^c: if that mark is above the limit, there is no such run.
//   marks[kLeast]: the least amount in use at any time of the quarter.
//
// Windows that are too short for a mark use kLeast: a lower bound is always correct.
//
// Copies of a tree share nodes, with everything below, until one of them writes there. A leaf
// belongs to one node.
//
// Size: 48 + D·52·sizeof(Value) bytes, one node for about three leaves.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstring>

#include "time/step_leaf.hpp"

namespace copse::steps {

inline constexpr std::uint32_t kMarks = 12, kLargest = 10, kLeast = 11;
inline constexpr std::uint32_t kFineWindows = 64;  // of a leaf: 4^3
inline constexpr std::uint32_t kLevelsMax = 32;

// The last instant of an aligned block from `start`, less start.
[[nodiscard]] inline std::uint64_t reach(std::uint32_t level) {
  return level >= kLevelsMax ? ~std::uint64_t{0} : (std::uint64_t{1} << (2 * level)) - 1;
}
// The level of the smallest aligned block that contains both.
[[nodiscard]] inline std::uint32_t common_level(Instant a, Instant b) {
  return (static_cast<std::uint32_t>(std::bit_width(a ^ b)) + 1) / 2;
}

// Bytes that the offsets of an aligned block need.
[[nodiscard]] inline std::uint8_t offset_bytes(std::uint32_t level) {
  return level <= 8 ? 2 : level <= 16 ? 4 : 8;
}

template <class Value>
using Marks = std::array<Value, kMarks>;

template <class Value>
struct Node {
  Instant start;
  std::uint16_t level;
  std::uint16_t leaves;               // bit i: quarter i is a leaf
  std::atomic<std::uint32_t> owners;  // nodes and trees that point to it
  void* below[4];

  [[nodiscard]] static std::size_t words(std::uint32_t d) { return 4u * d * (1 + kMarks); }
  [[nodiscard]] static Node* make(Instant at, std::uint32_t level, std::uint32_t d) {
    Node* node = new (::operator new(sizeof(Node) + words(d) * sizeof(Value)))
        Node{at & ~reach(level), static_cast<std::uint16_t>(level), 0, {1}, {}};
    std::memset(static_cast<void*>(node + 1), 0, words(d) * sizeof(Value));
    return node;
  }
  static void free(Node* node) { ::operator delete(node); }
  [[nodiscard]] bool alone() const { return owners.load(std::memory_order_acquire) == 1; }
  // A copy for one owner: leaves are copied, nodes below are shared.
  [[nodiscard]] Node* copy(std::uint32_t d) const {
    Node* made = make(start, level, d);
    made->leaves = leaves;
    std::memcpy(static_cast<void*>(made + 1), this + 1, words(d) * sizeof(Value));
    for (std::uint32_t q = 0; q < 4; ++q) {
      made->below[q] = below[q];
      if (below[q] == nullptr) continue;
      if (is_leaf(q)) {
        made->below[q] = Leaf<Value>::copy(*leaf(q), d);
      } else {
        node(q)->owners.fetch_add(1, std::memory_order_relaxed);
      }
    }
    return made;
  }

  [[nodiscard]] Value* sums(std::uint32_t quarter, std::uint32_t d) {
    return reinterpret_cast<Value*>(this + 1) + std::size_t{quarter} * d;
  }
  [[nodiscard]] const Value* sums(std::uint32_t quarter, std::uint32_t d) const {
    return reinterpret_cast<const Value*>(this + 1) + std::size_t{quarter} * d;
  }
  // The marks of dimension k: kMarks of them.
  [[nodiscard]] Value* marks(std::uint32_t quarter, std::uint32_t k, std::uint32_t d) {
    return reinterpret_cast<Value*>(this + 1) + 4u * d + (std::size_t{quarter} * d + k) * kMarks;
  }
  [[nodiscard]] const Value* marks(std::uint32_t quarter, std::uint32_t k, std::uint32_t d) const {
    return const_cast<Node*>(this)->marks(quarter, k, d);
  }

  [[nodiscard]] bool contains(Instant t) const { return ((t ^ start) & ~reach(level)) == 0; }
  [[nodiscard]] Instant last() const { return start + reach(level); }
  [[nodiscard]] std::uint32_t quarter_of(Instant t) const {
    return static_cast<std::uint32_t>(t >> (2 * (level - 1))) & 3;
  }
  [[nodiscard]] Instant quarter_start(std::uint32_t q) const {
    return start + (Instant{q} << (2 * (level - 1)));
  }
  [[nodiscard]] Instant quarter_last(std::uint32_t q) const {
    return quarter_start(q) + reach(level - 1);
  }
  [[nodiscard]] bool is_leaf(std::uint32_t q) const { return ((leaves >> q) & 1) != 0; }
  [[nodiscard]] Leaf<Value>* leaf(std::uint32_t q) const {
    return static_cast<Leaf<Value>*>(below[q]);
  }
  [[nodiscard]] Node* node(std::uint32_t q) const { return static_cast<Node*>(below[q]); }
  void set_leaf(std::uint32_t q, Leaf<Value>* leaf) {
    below[q] = leaf;
    leaves = static_cast<std::uint16_t>(leaves | 1u << q);
  }
  void set_node(std::uint32_t q, Node* node) {
    below[q] = node;
    leaves = static_cast<std::uint16_t>(leaves & ~(1u << q));
  }

  // The marks of the whole node, at its own level.
  [[nodiscard]] Marks<Value> merged(std::uint32_t k, std::uint32_t d) const;
  // Recomputes the sums and marks of a quarter. Returns whether any changed. If a change is given,
  // dimensions in which it is 0 are skipped.
  bool refresh(std::uint32_t quarter, std::uint32_t d, const std::int64_t* change = nullptr);
};

// The marks of the enclosing block, four times as long, of a block with these marks. `before`,
// `after`: whether it has time before the block, with 0 in use, and after it, with `sum` in use.
template <class Value>
Marks<Value> widened(const Marks<Value>& in, Value sum, bool before, bool after) {
  Value least = in[kLeast], largest = in[kLargest], around = in[kLargest];
  if (before) {
    least = std::min(least, Value{0});
    largest = std::max(largest, Value{0});
    around = std::min(around, Value{0});
  }
  if (after) {
    least = std::min(least, sum);
    largest = std::max(largest, sum);
    around = std::min(around, sum);
  }
  Marks<Value> out;
  for (std::uint32_t j = 0; j + 1 < kLargest; ++j) {
    out[j] = in[j + 1];
    if (before) out[j] = std::min(out[j], Value{0});
    if (after) out[j] = std::min(out[j], sum);
  }
  out[kLargest - 1] = around;
  out[kLargest] = largest;
  out[kLeast] = least;
  return out;
}

template <class Value>
Marks<Value> Node<Value>::merged(std::uint32_t k, std::uint32_t d) const {
  const Value* first = marks(0, k, d);
  Marks<Value> out;
  for (std::uint32_t j = 0; j < kLargest; ++j) out[j] = first[j + 1];
  out[kLargest] = first[kLargest];
  out[kLeast] = first[kLeast];
  Value before = sums(0, d)[k];
  for (std::uint32_t q = 1; q < 4; ++q) {
    const Value* in = marks(q, k, d);
    for (std::uint32_t j = 0; j < kLargest; ++j) {
      out[j] = std::min(out[j], static_cast<Value>(in[j + 1] + before));
    }
    out[kLargest] = std::max(out[kLargest], static_cast<Value>(in[kLargest] + before));
    out[kLeast] = std::min(out[kLeast], static_cast<Value>(in[kLeast] + before));
    before = static_cast<Value>(before + sums(q, d)[k]);
  }
  return out;
}

// Four amounts at a time: most of the time of adding a span is spent here.
template <class Value>
struct FourValues {
  // NOLINTNEXTLINE(modernize-use-using): the attribute depends on Value, which g++ wants so
  typedef Value LaneValues __attribute__((vector_size(4 * sizeof(Value))));

  LaneValues lanes;
  [[nodiscard]] static FourValues at(const Value* from) {
    FourValues four;
    std::memcpy(&four.lanes, from, sizeof four.lanes);
    return four;
  }
  [[nodiscard]] friend FourValues least(const FourValues& a, const FourValues& b) {
    return {a.lanes < b.lanes ? a.lanes : b.lanes};
  }
  [[nodiscard]] friend FourValues most(const FourValues& a, const FourValues& b) {
    return {a.lanes > b.lanes ? a.lanes : b.lanes};
  }
  [[nodiscard]] Value least_lane() const {
    return std::min(std::min(lanes[0], lanes[1]), std::min(lanes[2], lanes[3]));
  }
  [[nodiscard]] Value most_lane() const {
    return std::max(std::max(lanes[0], lanes[1]), std::max(lanes[2], lanes[3]));
  }
  // The largest element of each of four groups of four.
  [[nodiscard]] static FourValues most_of_each(const FourValues& a, const FourValues& b,
                                               const FourValues& c, const FourValues& d) {
    const FourValues ab = most(FourValues{__builtin_shufflevector(a.lanes, b.lanes, 0, 4, 1, 5)},
                               FourValues{__builtin_shufflevector(a.lanes, b.lanes, 2, 6, 3, 7)});
    const FourValues cd = most(FourValues{__builtin_shufflevector(c.lanes, d.lanes, 0, 4, 1, 5)},
                               FourValues{__builtin_shufflevector(c.lanes, d.lanes, 2, 6, 3, 7)});
    return most(FourValues{__builtin_shufflevector(ab.lanes, cd.lanes, 0, 1, 4, 5)},
                FourValues{__builtin_shufflevector(ab.lanes, cd.lanes, 2, 3, 6, 7)});
  }
};

// The largest amount in use in each of the 64 windows of a leaf.
template <class Value, class Offset>
void fill_windows(const Value* values, const Offset* offsets, std::uint32_t count,
                  std::uint32_t level, Value* window) {
  const std::uint32_t shift = 2 * (level - 3);
  const std::uint64_t inside = (std::uint64_t{1} << shift) - 1;
  // Every step also writes its amount to the four windows after its own; later steps overwrite
  // wrong values.
  std::fill(window, window + 5, Value{0});
  std::uint32_t filled = 5;
  Value value = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto w = static_cast<std::uint32_t>(offsets[i] >> shift);
    for (; filled <= w; ++filled) window[filled] = value;
    value = values[i];
    window[w] = (offsets[i] & inside) == 0 ? value : std::max(window[w], value);
    const Value after[4] = {value, value, value, value};
    std::memcpy(window + w + 1, after, sizeof after);
    filled = std::max(filled, w + 5);
  }
  for (; filled < kFineWindows; ++filled) window[filled] = value;
}

// The marks of a leaf that covers an aligned block of 4^level seconds, level >= 3: exact for
// windows of 4^(level - 3) seconds and longer.
template <class Value>
Marks<Value> leaf_marks(const Leaf<Value>& leaf, std::uint32_t level, std::uint32_t k,
                        std::uint32_t d) {
  assert(level >= 3);
  const Value* values = leaf.values(k);
  alignas(4 * sizeof(Value)) Value window[kFineWindows + 5];
  leaf.with_offsets(
      d, [&](const auto* offsets) { fill_windows(values, offsets, leaf.count, level, window); });

  Marks<Value> out;
  Value lowest = leaf.offset(0, d) > 0 ? Value{0} : values[0];
  for (std::uint32_t i = 0; i < leaf.count; ++i) lowest = std::min(lowest, values[i]);
  for (std::uint32_t j = 0; j < kLargest - 3; ++j) out[j] = lowest;
  out[kLeast] = lowest;

  using F = FourValues<Value>;
  F fine = F::at(window), sixteen[4];
  for (std::uint32_t j = 0; j < 4; ++j) {
    const Value* from = window + 16 * j;
    const F a = F::at(from), b = F::at(from + 4), c = F::at(from + 8), e = F::at(from + 12);
    fine = least(fine, least(least(a, b), least(c, e)));
    sixteen[j] = F::most_of_each(a, b, c, e);
  }
  const F four = F::most_of_each(sixteen[0], sixteen[1], sixteen[2], sixteen[3]);
  out[kLargest - 3] = fine.least_lane();
  out[kLargest - 2] =
      least(least(sixteen[0], sixteen[1]), least(sixteen[2], sixteen[3])).least_lane();
  out[kLargest - 1] = four.least_lane();
  out[kLargest] = four.most_lane();
  return out;
}

template <class Value>
bool Node<Value>::refresh(std::uint32_t quarter, std::uint32_t d, const std::int64_t* change) {
  bool changed = false;
  auto same = [&](std::uint32_t k) { return change != nullptr && change[k] == 0; };
  auto set = [&](std::uint32_t k, Value sum, const Marks<Value>& with) {
    Value* old = marks(quarter, k, d);
    changed |= sums(quarter, d)[k] != sum || std::memcmp(old, with.data(), sizeof with) != 0;
    sums(quarter, d)[k] = sum;
    std::memcpy(old, with.data(), sizeof with);
  };
  if (below[quarter] == nullptr) {
    for (std::uint32_t k = 0; k < d; ++k) set(k, 0, Marks<Value>{});
  } else if (is_leaf(quarter)) {
    for (std::uint32_t k = 0; k < d; ++k) {
      if (same(k)) continue;
      set(k, leaf(quarter)->sum(k), leaf_marks(*leaf(quarter), level - 1, k, d));
    }
  } else {
    const Node& child = *node(quarter);
    for (std::uint32_t k = 0; k < d; ++k) {
      if (same(k)) continue;
      Value sum = 0;
      for (std::uint32_t q = 0; q < 4; ++q) sum = static_cast<Value>(sum + child.sums(q, d)[k]);
      Marks<Value> with = child.merged(k, d);
      for (std::uint32_t at = child.level; at + 1 < level; ++at) {
        const std::uint32_t place = static_cast<std::uint32_t>(child.start >> (2 * at)) & 3;
        with = widened(with, sum, place > 0, place < 3);
      }
      set(k, sum, with);
    }
  }
  return changed;
}

}  // namespace copse::steps
