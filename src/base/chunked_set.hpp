// SPDX-License-Identifier: Apache-2.0
//
// ChunkedSet: a sorted set in chunks of adjacent items, like the leaves of a B-tree under one root.
//
// A std::set of small items takes one allocation for each, and a walk from one to the next waits
// for memory. Here an item costs its size, copies are copies of arrays, and a search reads two of
// them. Iterators are valid until the next change.
//
// Invariants
//   1. Items ascend strictly. No chunk is empty, or has more than kItems.
//   2. firsts_ has the first item of each chunk.
//
// Cost: n items. Searches O(log n); insert and erase O(log n + kItems), and O(n / kItems) for one
// insertion in kItems / 2; ++ and -- O(1); index() O(n / kItems); a copy O(n).
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace copse {

template <class T, std::size_t kItems = 64>
class ChunkedSet {
 public:
  class const_iterator {
   public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    const_iterator() = default;
    reference operator*() const { return set_->chunks_[chunk_][item_]; }
    pointer operator->() const { return &**this; }
    const_iterator& operator++() {
      if (++item_ == set_->chunks_[chunk_].size()) ++chunk_, item_ = 0;
      return *this;
    }
    const_iterator operator++(int) {
      const_iterator out = *this;
      ++*this;
      return out;
    }
    const_iterator& operator--() {
      if (item_ == 0) item_ = set_->chunks_[--chunk_].size();
      --item_;
      return *this;
    }
    const_iterator operator--(int) {
      const_iterator out = *this;
      --*this;
      return out;
    }
    bool operator==(const const_iterator& other) const {
      return chunk_ == other.chunk_ && item_ == other.item_;
    }

   private:
    friend class ChunkedSet;
    const_iterator(const ChunkedSet& set, std::size_t chunk, std::size_t item)
        : set_(&set), chunk_(chunk), item_(item) {}

    const ChunkedSet* set_ = nullptr;
    std::size_t chunk_ = 0, item_ = 0;  // at the end: the number of chunks, and 0
  };
  using value_type = T;

  ChunkedSet() = default;
  // REQUIRES that the items ascend strictly.
  explicit ChunkedSet(const std::vector<T>& items) : size_(items.size()) {
    constexpr std::size_t kEach = kItems * 3 / 4;  // room for more
    for (std::size_t at = 0; at < items.size(); at += kEach) {
      const auto first = items.begin() + static_cast<std::ptrdiff_t>(at);
      const auto count = static_cast<std::ptrdiff_t>(std::min(kEach, items.size() - at));
      firsts_.push_back(*first);
      chunks_.emplace_back(first, first + count);
    }
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const_iterator begin() const { return {*this, 0, 0}; }
  [[nodiscard]] const_iterator end() const { return {*this, chunks_.size(), 0}; }
  [[nodiscard]] const T& front() const { return firsts_.front(); }  // REQUIRES !empty()
  [[nodiscard]] const T& back() const { return chunks_.back().back(); }

  // The first item that is not before the value; that is after it.
  [[nodiscard]] const_iterator lower_bound(const T& value) const {
    return place(value, [](const Chunk& chunk, const T& bound) {
      return std::lower_bound(chunk.begin(), chunk.end(), bound);
    });
  }
  [[nodiscard]] const_iterator upper_bound(const T& value) const {
    return place(value, [](const Chunk& chunk, const T& bound) {
      return std::upper_bound(chunk.begin(), chunk.end(), bound);
    });
  }
  [[nodiscard]] const_iterator find(const T& value) const {
    const const_iterator at = lower_bound(value);
    return at != end() && !(value < *at) ? at : end();
  }
  [[nodiscard]] bool contains(const T& value) const { return find(value) != end(); }
  // How many items are before it.
  [[nodiscard]] std::size_t index(const const_iterator& at) const {
    std::size_t out = at.item_;
    for (std::size_t c = 0; c < at.chunk_; ++c) out += chunks_[c].size();
    return out;
  }

  // False: it was there.
  bool insert(const T& value) {
    if (chunks_.empty()) {
      chunks_.emplace_back(1, value);
      firsts_.push_back(value);
      ++size_;
      return true;
    }
    std::size_t c = chunk_of(value);
    auto at = std::lower_bound(chunks_[c].begin(), chunks_[c].end(), value);
    if (at != chunks_[c].end() && !(value < *at)) return false;
    if (chunks_[c].size() == kItems) {
      split(c);
      if (!(value < firsts_[c + 1])) ++c;
      at = std::lower_bound(chunks_[c].begin(), chunks_[c].end(), value);
    }
    const bool first = at == chunks_[c].begin();
    chunks_[c].insert(at, value);
    if (first) firsts_[c] = value;
    ++size_;
    return true;
  }
  // Whether it was there.
  bool erase(const T& value) {
    if (chunks_.empty()) return false;
    const std::size_t c = chunk_of(value);
    const auto at = std::lower_bound(chunks_[c].begin(), chunks_[c].end(), value);
    if (at == chunks_[c].end() || value < *at) return false;
    const bool first = at == chunks_[c].begin();
    chunks_[c].erase(at);
    --size_;
    if (chunks_[c].empty()) {
      drop(c);
    } else {
      if (first) firsts_[c] = chunks_[c].front();
      join(c);
    }
    return true;
  }
  // Puts another item in the place of one. REQUIRES that the first is there, and the second is not.
  void replace(const T& old, const T& with) {
    const std::size_t c = chunk_of(old);
    const bool here = !(with < firsts_[c]) && (c + 1 == firsts_.size() || with < firsts_[c + 1]);
    const auto at = std::lower_bound(chunks_[c].begin(), chunks_[c].end(), old);
    if (!here || at == chunks_[c].begin()) {
      erase(old);
      insert(with);
      return;
    }
    const T item = with;
    if (item < old) {
      const auto to = std::lower_bound(chunks_[c].begin(), at, item);
      std::move_backward(to, at, at + 1);
      *to = item;
    } else {
      const auto to = std::lower_bound(at, chunks_[c].end(), item);
      std::move(at + 1, to, at);
      *(to - 1) = item;
    }
  }
  // All from there on.
  void erase_from(const const_iterator& first) {
    size_ = index(first);
    if (first.chunk_ == chunks_.size()) return;
    const std::size_t left = first.chunk_ + (first.item_ > 0 ? 1 : 0);
    chunks_[first.chunk_].resize(first.item_);
    chunks_.resize(left);
    firsts_.resize(left);
  }
  // Returns how many there were.
  template <class Predicate>
  std::size_t erase_if(Predicate predicate) {
    std::vector<T> kept;
    for (const T& item : *this) {
      if (!predicate(item)) kept.push_back(item);
    }
    const std::size_t gone = size_ - kept.size();
    if (gone > 0) *this = ChunkedSet(kept);
    return gone;
  }
  void clear() { *this = {}; }

  // Asserts the invariants. O(n).
  void check() const {
    assert(chunks_.size() == firsts_.size());
    std::size_t size = 0;
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      assert(!chunks_[c].empty() && chunks_[c].size() <= kItems);
      assert(!(firsts_[c] < chunks_[c].front()) && !(chunks_[c].front() < firsts_[c]));
      assert(c == 0 || chunks_[c - 1].back() < firsts_[c]);
      for (std::size_t i = 1; i < chunks_[c].size(); ++i) assert(chunks_[c][i - 1] < chunks_[c][i]);
      size += chunks_[c].size();
    }
    assert(size == size_);
    (void)size;
  }

 private:
  using Chunk = std::vector<T>;

  // The last chunk that begins at or before the value, or the first. REQUIRES !empty().
  [[nodiscard]] std::size_t chunk_of(const T& value) const {
    const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), value);
    return after == firsts_.begin() ? 0 : static_cast<std::size_t>(after - firsts_.begin()) - 1;
  }
  template <class Search>
  [[nodiscard]] const_iterator place(const T& value, Search search) const {
    if (chunks_.empty()) return end();
    const std::size_t c = chunk_of(value);
    const auto at = search(chunks_[c], value);
    if (at == chunks_[c].end()) return {*this, c + 1, 0};
    return {*this, c, static_cast<std::size_t>(at - chunks_[c].begin())};
  }
  // Items that come in order leave full chunks behind: the last chunk keeps most of its items.
  void split(std::size_t c) {
    const bool last = c + 1 == chunks_.size();
    const auto half = static_cast<std::ptrdiff_t>(last ? kItems * 7 / 8 : kItems / 2);
    Chunk second;
    second.reserve(kItems);
    second.assign(chunks_[c].begin() + half, chunks_[c].end());
    chunks_[c].resize(static_cast<std::size_t>(half));
    firsts_.insert(firsts_.begin() + static_cast<std::ptrdiff_t>(c) + 1, second.front());
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(c) + 1, std::move(second));
  }
  void drop(std::size_t c) {
    firsts_.erase(firsts_.begin() + static_cast<std::ptrdiff_t>(c));
    chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(c));
  }
  // Joins a chunk that is nearly empty with the next one, if both have room in one.
  void join(std::size_t c) {
    if (chunks_[c].size() > kItems / 4 || c + 1 == chunks_.size()) return;
    if (chunks_[c].size() + chunks_[c + 1].size() > kItems / 2) return;
    chunks_[c].insert(chunks_[c].end(), chunks_[c + 1].begin(), chunks_[c + 1].end());
    drop(c + 1);
  }

  std::vector<Chunk> chunks_;
  std::vector<T> firsts_;
  std::size_t size_ = 0;
};

}  // namespace copse
