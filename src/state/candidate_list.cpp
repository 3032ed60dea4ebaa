// SPDX-License-Identifier: Apache-2.0
#include "state/candidate_list.hpp"

#include <cassert>

namespace copse {

namespace {
CandidateList::Value largest_of(std::span<const CandidateList::Value> values) {
  CandidateList::Value most = values[0];
  for (const CandidateList::Value value : values) most = std::max(most, value);
  return most;
}
}  // namespace

CandidateList::CandidateList(std::span<const PoolId> pools, std::span<const std::uint32_t> keys,
                             std::uint32_t key_end)
    : size_(static_cast<std::uint32_t>(pools.size())), place_of_(key_end, kNowhere) {
  for (std::uint32_t i = 0; i < size_; ++i) {
    if (i % kBlock == 0) {
      sequence_.push_back(static_cast<std::uint32_t>(blocks_.size()));
      blocks_.push_back(std::make_unique<Block>());
    }
    Block& b = *blocks_.back();
    b.pools[b.count] = pools[i];
    b.keys[b.count] = keys[i];
    place_of_[keys[i]] = sequence_.back() * kBlock + b.count++;
  }
  renumber(0);
}

std::uint32_t CandidateList::slot_of(const Block& b, std::uint32_t key) {
  const std::uint32_t guess = place_of_[key] % kBlock;
  if (guess < b.count && b.keys[guess] == key) return guess;
  std::uint32_t i = 0;
  while (b.keys[i] != key) ++i;
  place_of_[key] += i - guess;
  return i;
}

CandidateList::Value CandidateList::largest_of(const Block& b, std::uint32_t column) const {
  if (b.count == 0) return 0;  // its first entry is about to be added
  return copse::largest_of({b.values.data() + static_cast<std::size_t>(column) * kBlock, b.count});
}

void CandidateList::refresh_group(std::uint32_t column, std::uint32_t group) {
  const std::vector<Value>& all = largest_[column];
  const std::size_t first = static_cast<std::size_t>(group) * kBlock;
  const std::size_t last = std::min(first + kBlock, all.size());
  group_largest_[column][group] = copse::largest_of({all.data() + first, last - first});
}

void CandidateList::refresh(const Block& b) {
  for (std::uint32_t c = 0; c < columns_; ++c) {
    largest_[c][b.position] = largest_of(b, c);
    refresh_group(c, b.position / kBlock);
  }
}

// Updates positions and groups from `first` on, after a block was inserted or erased there.
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
  const std::uint32_t number = place_of_[key] / kBlock;
  Block& b = *blocks_[number];
  Value& cell = b.values[static_cast<std::size_t>(column) * kBlock + slot_of(b, key)];
  const Value old = cell;
  if (old == value) return;
  cell = value;
  Value& largest = largest_[column][b.position];
  if (value > largest) {
    largest = value;
    Value& group = group_largest_[column][b.position / kBlock];
    group = std::max(group, value);
  } else if (old == largest && value < old) {
    if (unsettled_ != number) settle();
    unsettled_ = number;
    if (std::ranges::find(fallen_, column) == fallen_.end()) fallen_.push_back(column);
  }
}

void CandidateList::settle() {
  if (fallen_.empty()) return;
  const Block& b = *blocks_[unsettled_];
  for (const std::uint32_t c : fallen_) {
    Value& largest = largest_[c][b.position];
    const Value old = largest;
    largest = largest_of(b, c);
    const std::uint32_t group = b.position / kBlock;
    if (largest < old && old == group_largest_[c][group]) refresh_group(c, group);
  }
  fallen_.clear();
}

bool CandidateList::next(Position& at, std::span<const Need> needs) {
  settle();
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
  if (!from.orders.empty()) to.orders[j] = from.orders[i];
  for (std::uint32_t c = 0; c < columns_; ++c) {
    to.values[static_cast<std::size_t>(c) * kBlock + j] =
        from.values[static_cast<std::size_t>(c) * kBlock + i];
  }
}

void CandidateList::erase_slot(Block& b, std::uint32_t slot) {
  for (std::uint32_t i = slot; i + 1 < b.count; ++i) copy_slot(b, i + 1, b, i);
  --b.count;
}

std::uint32_t CandidateList::new_block() {
  if (free_blocks_.empty()) {
    free_blocks_.push_back(static_cast<std::uint32_t>(blocks_.size()));
    blocks_.push_back(std::make_unique<Block>());
  }
  const std::uint32_t number = free_blocks_.back();
  free_blocks_.pop_back();
  Block& b = *blocks_[number];
  b.count = 0;
  b.values.assign(static_cast<std::size_t>(columns_) * kBlock, 0);
  return number;
}

std::uint32_t CandidateList::split(std::uint32_t block) {
  const std::uint32_t number = new_block();
  Block& left = *blocks_[block];
  Block& right = *blocks_[number];
  right.orders.resize(left.orders.size());
  const std::uint32_t keep = left.count / 2;
  right.count = left.count - keep;
  for (std::uint32_t i = 0; i < right.count; ++i) {
    copy_slot(left, keep + i, right, i);
    place_of_[right.keys[i]] = number * kBlock + i;
  }
  left.count = keep;
  refresh(left);
  insert_block(left.position + 1, number);
  return number;
}

// Makes room at a slot, and puts the pool there.
void CandidateList::put(Slot place, PoolId pool, std::uint32_t key, const Order* order,
                        std::span<const Value> values) {
  Block& b = *blocks_[place.block];
  if (order != nullptr) b.orders.resize(kBlock);
  for (std::uint32_t i = b.count; i > place.slot; --i) copy_slot(b, i - 1, b, i);
  ++b.count;
  b.pools[place.slot] = pool;
  b.keys[place.slot] = key;
  if (order != nullptr) b.orders[place.slot] = *order;
  for (std::uint32_t c = 0; c < columns_; ++c) {
    b.values[static_cast<std::size_t>(c) * kBlock + place.slot] = values.empty() ? 0 : values[c];
  }
  if (place_of_.size() <= key) place_of_.resize(key + 1u, kNowhere);
  place_of_[key] = place.block * kBlock + place.slot;
  ++size_;
  refresh(b);
}

void CandidateList::insert(PoolId pool, std::uint32_t key, Order order) {
  settle();
  put(place_for([&](const Block& b, std::uint32_t i) { return b.orders[i] < order; }), pool, key,
      &order, {});
}

void CandidateList::reorder(std::uint32_t key, Order order) {
  settle();
  Block& old = block_of(key);
  const std::uint32_t slot = slot_of(old, key);
  if (old.orders[slot] == order) return;
  const PoolId pool = old.pools[slot];
  moved_.resize(columns_);
  for (std::uint32_t c = 0; c < columns_; ++c) {
    moved_[c] = old.values[static_cast<std::size_t>(c) * kBlock + slot];
  }
  erase_slot(old, slot);
  --size_;
  if (old.count == 0) {
    erase_block(old.position);
  } else {
    refresh(old);
  }
  const Slot place =
      place_for([&](const Block& b, std::uint32_t i) { return b.orders[i] < order; });
  put(place, pool, key, &order, moved_);
}

std::uint64_t CandidateList::bytes() const {
  std::uint64_t n = place_of_.capacity() * 4 + sequence_.capacity() * 4;
  for (const auto& b : blocks_) {
    n +=
        sizeof(Block) + b->orders.capacity() * sizeof(Order) + b->values.capacity() * sizeof(Value);
  }
  return n;
}

}  // namespace copse
