// SPDX-License-Identifier: Apache-2.0
#include "state/candidate_list.hpp"

#include <algorithm>
#include <cassert>

namespace copse {

CandidateList::CandidateList(std::span<const PoolId> pools, std::span<const std::uint32_t> keys,
                             std::uint32_t key_end)
    : size_(static_cast<std::uint32_t>(pools.size())), block_of_(key_end, kNowhere) {
  for (std::uint32_t i = 0; i < size_; ++i) {
    if (i % kBlock == 0) {
      sequence_.push_back(static_cast<std::uint32_t>(blocks_.size()));
      blocks_.push_back(std::make_unique<Block>());
    }
    Block& b = *blocks_.back();
    b.pools[b.count] = pools[i];
    b.keys[b.count++] = keys[i];
    block_of_[keys[i]] = sequence_.back();
  }
  renumber(0);
}

std::uint32_t CandidateList::slot_of(const Block& b, std::uint32_t key) {
  std::uint32_t i = 0;
  while (b.keys[i] != key) ++i;
  return i;
}

CandidateList::Value CandidateList::largest_of(const Block& b, std::uint32_t column) const {
  const Value* values = b.values.data() + static_cast<std::size_t>(column) * kBlock;
  return *std::max_element(values, values + b.count);
}

void CandidateList::refresh_group(std::uint32_t column, std::uint32_t group) {
  const std::vector<Value>& all = largest_[column];
  const std::size_t first = static_cast<std::size_t>(group) * kBlock;
  const std::size_t last = std::min(first + kBlock, all.size());
  group_largest_[column][group] =
      *std::max_element(all.begin() + static_cast<std::ptrdiff_t>(first),
                        all.begin() + static_cast<std::ptrdiff_t>(last));
}

void CandidateList::refresh(const Block& b) {
  for (std::uint32_t c = 0; c < columns_; ++c) {
    largest_[c][b.position] = largest_of(b, c);
    refresh_group(c, b.position / kBlock);
  }
}

// After a block came or went at `first`: positions and groups from there on.
void CandidateList::renumber(std::uint32_t first) {
  for (std::uint32_t i = first; i < sequence_.size(); ++i) blocks_[sequence_[i]]->position = i;
  for (std::uint32_t c = 0; c < columns_; ++c) {
    group_largest_[c].resize((sequence_.size() + kBlock - 1) / kBlock);
    for (std::uint32_t g = first / kBlock; g < group_largest_[c].size(); ++g) refresh_group(c, g);
  }
}

void CandidateList::insert_block(std::uint32_t position, std::uint32_t number) {
  sequence_.insert(sequence_.begin() + position, number);
  for (std::uint32_t c = 0; c < columns_; ++c) {
    largest_[c].insert(largest_[c].begin() + position, largest_of(*blocks_[number], c));
  }
  renumber(position);
}

void CandidateList::erase_block(std::uint32_t position) {
  free_blocks_.push_back(sequence_[position]);
  sequence_.erase(sequence_.begin() + position);
  for (std::uint32_t c = 0; c < columns_; ++c) {
    largest_[c].erase(largest_[c].begin() + position);
  }
  renumber(position);
}

std::uint32_t CandidateList::add_column() {
  for (auto& b : blocks_) b->values.resize(static_cast<std::size_t>(columns_ + 1) * kBlock, 0);
  largest_.emplace_back(sequence_.size(), 0);
  group_largest_.emplace_back((sequence_.size() + kBlock - 1) / kBlock, 0);
  return columns_++;
}

void CandidateList::set(std::uint32_t key, std::uint32_t column, Value value) {
  Block& b = *blocks_[block_of_[key]];
  Value& cell = b.values[static_cast<std::size_t>(column) * kBlock + slot_of(b, key)];
  const Value old = cell;
  if (old == value) return;
  cell = value;
  Value& largest = largest_[column][b.position];
  Value& group = group_largest_[column][b.position / kBlock];
  if (value > largest) {
    largest = value;
    group = std::max(group, value);
  } else if (old == largest && value < old) {
    largest = largest_of(b, column);
    if (old == group && largest < old) refresh_group(column, b.position / kBlock);
  }
}

bool CandidateList::next(Position& at, std::span<const Need> needs) const {
  const auto blocks = static_cast<std::uint32_t>(sequence_.size());
  auto enough = [&](const std::vector<std::vector<Value>>& values, std::uint32_t i) {
    for (const Need& n : needs) {
      if (values[n.column][i] < n.at_least) return false;
    }
    return true;
  };
  while (at.block < blocks) {
    if (at.slot == 0) {
      if (at.block % kBlock == 0 && !enough(group_largest_, at.block / kBlock)) {
        at.block += kBlock;
        continue;
      }
      if (!enough(largest_, at.block)) {
        ++at.block;
        continue;
      }
    }
    const Block& b = block_at(at.block);
    for (; at.slot < b.count; ++at.slot) {
      bool fits = true;
      for (const Need& n : needs) {
        if (b.values[static_cast<std::size_t>(n.column) * kBlock + at.slot] < n.at_least) {
          fits = false;
          break;
        }
      }
      if (fits) return true;
    }
    ++at.block;
    at.slot = 0;
  }
  return false;
}

void CandidateList::set_orders(std::span<const Order> orders) {
  assert(orders.size() == size_ && std::is_sorted(orders.begin(), orders.end()));
  std::size_t i = 0;
  for (std::uint32_t number : sequence_) {
    Block& b = *blocks_[number];
    b.orders.resize(kBlock);
    for (std::uint32_t s = 0; s < b.count; ++s) b.orders[s] = orders[i++];
  }
}

void CandidateList::copy_slot(const Block& from, std::uint32_t i, Block& to,
                              std::uint32_t j) const {
  to.pools[j] = from.pools[i];
  to.keys[j] = from.keys[i];
  to.orders[j] = from.orders[i];
  for (std::uint32_t c = 0; c < columns_; ++c) {
    to.values[static_cast<std::size_t>(c) * kBlock + j] =
        from.values[static_cast<std::size_t>(c) * kBlock + i];
  }
}

void CandidateList::erase_slot(Block& b, std::uint32_t slot) {
  for (std::uint32_t i = slot; i + 1 < b.count; ++i) copy_slot(b, i + 1, b, i);
  --b.count;
}

std::uint32_t CandidateList::split(std::uint32_t block) {
  if (free_blocks_.empty()) {
    free_blocks_.push_back(static_cast<std::uint32_t>(blocks_.size()));
    blocks_.push_back(std::make_unique<Block>());
  }
  const std::uint32_t number = free_blocks_.back();
  free_blocks_.pop_back();
  Block& left = *blocks_[block];
  Block& right = *blocks_[number];
  right.orders.resize(kBlock);
  right.values.assign(static_cast<std::size_t>(columns_) * kBlock, 0);
  const std::uint32_t keep = left.count / 2;
  right.count = left.count - keep;
  for (std::uint32_t i = 0; i < right.count; ++i) {
    copy_slot(left, keep + i, right, i);
    block_of_[right.keys[i]] = number;
  }
  left.count = keep;
  refresh(left);
  insert_block(left.position + 1, number);
  return number;
}

void CandidateList::reorder(std::uint32_t key, Order order) {
  const std::uint32_t old_number = block_of_[key];
  Block& old = *blocks_[old_number];
  const std::uint32_t slot = slot_of(old, key);
  if (old.orders[slot] == order) return;
  Block moved;
  moved.orders.resize(1);
  moved.values.resize(static_cast<std::size_t>(columns_) * kBlock);
  copy_slot(old, slot, moved, 0);
  moved.orders[0] = order;
  erase_slot(old, slot);
  if (old.count == 0) {
    erase_block(old.position);
  } else {
    refresh(old);
  }

  if (sequence_.empty()) {  // it was the only entry of the list
    Block& only = *blocks_[free_blocks_.back()];
    only.count = 1;
    copy_slot(moved, 0, only, 0);
    block_of_[key] = free_blocks_.back();
    free_blocks_.pop_back();
    insert_block(0, block_of_[key]);
    return;
  }
  // The last block whose first entry comes before the new place; the first block if there is none.
  auto it = std::partition_point(sequence_.begin(), sequence_.end(), [&](std::uint32_t number) {
    return blocks_[number]->orders[0] < order;
  });
  if (it != sequence_.begin()) --it;
  std::uint32_t number = *it;
  if (blocks_[number]->count == kBlock) {
    const std::uint32_t right = split(number);
    if (blocks_[right]->orders[0] < order) number = right;
  }
  Block& b = *blocks_[number];
  const auto place =
      static_cast<std::uint32_t>(std::partition_point(b.orders.begin(), b.orders.begin() + b.count,
                                                      [&](const Order& o) { return o < order; }) -
                                 b.orders.begin());
  for (std::uint32_t i = b.count; i > place; --i) copy_slot(b, i - 1, b, i);
  ++b.count;
  copy_slot(moved, 0, b, place);
  block_of_[key] = number;
  refresh(b);
}

std::uint64_t CandidateList::bytes() const {
  std::uint64_t n = block_of_.capacity() * 4 + sequence_.capacity() * 4;
  for (const auto& b : blocks_) {
    n +=
        sizeof(Block) + b->orders.capacity() * sizeof(Order) + b->values.capacity() * sizeof(Value);
  }
  return n;
}

}  // namespace copse
