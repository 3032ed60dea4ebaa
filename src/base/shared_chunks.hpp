// SPDX-License-Identifier: Apache-2.0
//
// SharedChunks: a vector in chunks that its copies share until one of them writes there.
//
// Invariants
//   1. Chunk c has the items [c · kItems, (c + 1) · kItems); those from size() on are default-constructed.
//   2. A chunk that is marked as `own` in one table is in no other table.
//
// Thread safety: one copy belongs to one thread at a time, copying included; copies may be in
// different threads.
// Cost: reading needs one load more than a vector; writing checks the table; copying takes 16 bytes
// and one increment per chunk; the first change of a shared chunk copies it. A chunk that was never
// written takes only its entry in the table.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace copse {

template <class T, std::size_t kItems>
class SharedChunks {
  static_assert(std::has_single_bit(kItems));

 public:
  SharedChunks() = default;
  explicit SharedChunks(std::size_t size) { resize(size); }
  SharedChunks(const SharedChunks& other) : slots_(other.slots_), size_(other.size_) {
    for (std::size_t c = 0; c < slots_.size(); ++c) {
      slots_[c].own = other.slots_[c].own = false;
      slots_[c].chunk->owners.fetch_add(1, std::memory_order_relaxed);
    }
  }
  SharedChunks(SharedChunks&& other) noexcept
      : slots_(std::exchange(other.slots_, {})), size_(std::exchange(other.size_, 0)) {}
  SharedChunks& operator=(SharedChunks other) noexcept {
    std::swap(slots_, other.slots_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~SharedChunks() { clear(); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    return slots_[i / kItems].chunk->items[i % kItems];
  }
  // The item, for changes. Valid until the container is copied.
  [[nodiscard]] T& own(std::size_t i) {
    Slot& slot = slots_[i / kItems];
    if (!slot.own) take(slot);
    return slot.chunk->items[i % kItems];
  }
  // Grows to `size` items; new ones are default-constructed.
  void resize(std::size_t size) {
    const std::size_t chunks = (size + kItems - 1) / kItems;
    if (chunks > slots_.size()) {
      Chunk* none = blank();
      const std::size_t more = chunks - slots_.size();
      none->owners.fetch_add(static_cast<std::uint32_t>(more), std::memory_order_relaxed);
      slots_.resize(chunks, Slot{none, false});
    }
    size_ = size;
  }
  // Appends an item, for changes.
  T& add() {
    resize(size_ + 1);
    return own(size_ - 1);
  }
  // Sets items [first, last).
  void fill(std::size_t first, std::size_t last, const T& value) {
    while (first < last) {
      const std::size_t end = std::min(last, (first / kItems + 1) * kItems);
      T* at = &own(first);
      std::fill(at, at + (end - first), value);
      first = end;
    }
  }
  void clear() {
    for (const Slot& slot : slots_) drop(slot.chunk);
    slots_.clear();
    size_ = 0;
  }

  // Bytes of the table and of all chunks that were written.
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t n = slots_.capacity() * sizeof(Slot);
    for (const Slot& slot : slots_) n += slot.chunk == blank() ? 0 : sizeof(Chunk);
    return n;
  }
  // Invariants. O(chunks).
  [[nodiscard]] bool check() const {
    if (slots_.size() != (size_ + kItems - 1) / kItems) return false;
    return std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
      return slot.chunk != nullptr && (!slot.own || slot.chunk->alone());
    });
  }

 private:
  struct Chunk {
    Chunk() = default;
    Chunk(const Chunk& other) { std::copy_n(other.items, kItems, items); }
    Chunk& operator=(const Chunk&) = delete;
    ~Chunk() = default;
    [[nodiscard]] bool alone() const { return owners.load(std::memory_order_acquire) == 1; }
    T items[kItems]{};
    std::atomic<std::uint32_t> owners{1};
  };
  struct Slot {
    Chunk* chunk;
    mutable bool own;  // true: no other table has it
  };

  // The chunk of items that were never written: one for all tables. It owns itself.
  static Chunk* blank() {
    static Chunk* const chunk = new Chunk;
    return chunk;
  }
  static void drop(Chunk* chunk) {
    if (chunk->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete chunk;
  }
  static void take(Slot& slot) {
    if (!slot.chunk->alone()) {
      Chunk* copy = slot.chunk == blank() ? new Chunk : new Chunk(*slot.chunk);
      drop(std::exchange(slot.chunk, copy));
    }
    slot.own = true;
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace copse
