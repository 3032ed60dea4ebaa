// SPDX-License-Identifier: Apache-2.0
//
// CandidateList: many candidates of one kind in order of preference, with the amounts that each has
// free now, so that the next one with enough is found without visiting those between.
//
// Entries are in blocks of at most 64; each block, and each group of 64 blocks, has the largest
// value of each column, so that blocks without enough are skipped. Values are upper bounds: they
// may exclude a pool, but never prove that it fits.
//
// A list is either fixed (its order never changes: low, high, …) or weighted: ordered by (weight
// descending, uniq_id descending), the exploration order of `first`, and changed by reorder().
//
// Invariants
//   1. No block is empty; blocks and their entries are in order.
//   2. A block's value of a column is the largest of its entries', a group's that of its blocks.
//      Exception: the last values that set() lowered may not be included yet. They are recomputed by next(), or when another block is set, so that neighbours share the cost.
// Size: 12 + 4·C bytes per entry with C columns. next: O(n/4096 + 64 + 64) steps of a linear scan
// over packed 32-bit values; set: O(1), and O(64) once for each block in a row in which a largest
// value fell; reorder: O(64 + log n), and O(n/64) once in 32 times when a block splits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "copse/ids.hpp"

namespace copse {

class CandidateList {
 public:
  static constexpr std::uint32_t kBlock = 64;
  using Value = std::int32_t;  // larger amounts are cut to 2^31 - 1: still a bound

  struct Position {
    std::uint32_t block = 0, slot = 0;
  };
  struct Order {
    std::uint64_t weight = 0;
    std::int64_t tie = 0;
    auto operator<=>(const Order&) const = default;
  };
  struct Need {
    std::uint32_t column;
    Value at_least;
  };

  // `pools` in order of preference; `keys[i]` is a small dense number of pools[i], unique in the
  // list and below key_end (interior numbers minus the first of the scope).
  CandidateList(std::span<const PoolId> pools, std::span<const std::uint32_t> keys,
                std::uint32_t key_end);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t columns() const { return columns_; }
  [[nodiscard]] bool contains(std::uint32_t key) const {
    return key < place_of_.size() && place_of_[key] != kNowhere;
  }

  // Adds a column of zeros; returns its number.
  std::uint32_t add_column();
  void set(std::uint32_t key, std::uint32_t column, Value value);

  // The first entry at or after `at` that satisfies all needs; false at the end.
  [[nodiscard]] bool next(Position& at, std::span<const Need> needs);
  [[nodiscard]] PoolId pool(Position at) const { return block_at(at.block).pools[at.slot]; }
  static void advance(Position& at) { ++at.slot; }

  // Blocks, in order, for callers that search for known keys: they mark the blocks that have them,
  // and skip the others. No marks: any block may have some.
  using Marks = std::vector<std::uint64_t>;  // a bit per block, by its number
  [[nodiscard]] std::uint32_t blocks() const {
    return static_cast<std::uint32_t>(sequence_.size());
  }
  [[nodiscard]] std::span<const std::uint32_t> keys(std::uint32_t block) const {
    const Block& b = block_at(block);
    return {b.keys, b.count};
  }
  void mark(std::uint32_t key, Marks& marks) const {  // no effect if it is not in the list
    if (!contains(key)) return;
    if (marks.empty()) marks.resize(blocks_.size() / 64 + 1);
    const std::uint32_t number = place_of_[key] / kBlock;
    marks[number / 64] |= std::uint64_t{1} << (number % 64);
  }
  [[nodiscard]] bool marked(std::uint32_t block, const Marks& marks) const {
    const std::uint32_t number = sequence_[block];
    return marks.empty() || ((marks[number / 64] >> (number % 64)) & 1) != 0;
  }

  // Inserts an entry before the first one for which `before` is false. REQUIRES that those for
  // which it is true are first, a key that is not in the list, and a fixed list. Its values are 0.
  // O(64 + log n).
  template <class Before>
  void insert(PoolId pool, std::uint32_t key, Before before) {
    settle();
    const Slot place =
        place_for([&](const Block& b, std::uint32_t i) { return before(b.pools[i]); });
    put(place, pool, key, nullptr, {});
  }
  // The same for a weighted list.
  void insert(PoolId pool, std::uint32_t key, Order order);

  // Weighted lists. order(weight, tie) is ascending: give ~weight and ~uniq_id.
  void reorder(std::uint32_t key, Order order);
  void set_orders(std::span<const Order> orders);  // of all entries, in their current order;
                                                   // ascending

  [[nodiscard]] std::uint64_t bytes() const;

 private:
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  struct Block {
    std::uint32_t count = 0;
    std::uint32_t position = 0;  // in sequence_
    PoolId pools[kBlock];
    std::uint32_t keys[kBlock];
    std::vector<Order> orders;  // weighted lists only: one per slot
    std::vector<Value> values;  // columns × kBlock
  };

  [[nodiscard]] const Block& block_at(std::uint32_t position) const {
    return *blocks_[sequence_[position]];
  }
  [[nodiscard]] Block& block_of(std::uint32_t key) { return *blocks_[place_of_[key] / kBlock]; }
  [[nodiscard]] std::uint32_t slot_of(const Block& b, std::uint32_t key);
  [[nodiscard]] Value largest_of(const Block& b, std::uint32_t column) const;
  void refresh(const Block& b);  // largest values of a block and its group
  void settle();                 // recomputes largest values that fell
  void refresh_group(std::uint32_t column, std::uint32_t group);
  void renumber(std::uint32_t first);
  void insert_block(std::uint32_t position, std::uint32_t number);
  void erase_block(std::uint32_t position);
  void copy_slot(const Block& from, std::uint32_t i, Block& to, std::uint32_t j) const;
  void erase_slot(Block& b, std::uint32_t slot);
  std::uint32_t split(std::uint32_t block);  // returns the number of the new right half

  struct Slot {
    std::uint32_t block, slot;  // of a block with room
  };
  template <class Before>
  Slot place_for(Before before);  // the end of the entries for which `before` is true
  std::uint32_t new_block();
  void put(Slot place, PoolId pool, std::uint32_t key, const Order* order,
           std::span<const Value> values);  // no values: 0

  std::uint32_t size_ = 0, columns_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;  // by number, never moved
  std::vector<std::uint32_t> free_blocks_;      // numbers of blocks that became empty
  std::vector<std::uint32_t> sequence_;         // block numbers in order
  // By key: the number of its block times kBlock, plus a guess of its slot, which may be outdated.
  std::vector<std::uint32_t> place_of_;
  std::vector<std::vector<Value>> largest_;        // [column][position]
  std::vector<std::vector<Value>> group_largest_;  // [column][position / 64]
  std::vector<Value> moved_;                       // scratch of reorder
  std::uint32_t unsettled_ = kNowhere;             // number of the block that was set last
  std::vector<std::uint32_t> fallen_;  // columns of that block in which a largest value fell
};

template <class Before>
CandidateList::Slot CandidateList::place_for(Before before) {
  if (sequence_.empty()) {
    const std::uint32_t number = new_block();
    insert_block(0, number);
    return {number, 0};
  }
  // The last block for whose first entry `before` is true; the first block if there is none.
  auto it = std::partition_point(sequence_.begin(), sequence_.end(),
                                 [&](std::uint32_t number) { return before(*blocks_[number], 0); });
  if (it != sequence_.begin()) --it;
  std::uint32_t number = *it;
  if (blocks_[number]->count == kBlock) {
    const std::uint32_t right = split(number);
    if (before(*blocks_[right], 0)) number = right;
  }
  std::uint32_t slot = 0, end = blocks_[number]->count;
  while (slot < end) {
    const std::uint32_t middle = (slot + end) / 2;
    if (before(*blocks_[number], middle)) {
      slot = middle + 1;
    } else {
      end = middle;
    }
  }
  return {number, slot};
}

}  // namespace copse
