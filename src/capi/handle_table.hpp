// SPDX-License-Identifier: Apache-2.0
//
// HandleTable: what the handles of include/copse.h stand for.
//
// A handle is a number in the form of a pointer that no program can have: a tag, the number of a slot,
// how often the slot was given before, and a kind. So a handle that was freed, is of another kind or
// was never given is told from one that is good, without a look at memory that may be gone. That
// takes one table for the process; it is the library's only state outside of objects, and it decides
// nothing.
//
// Invariants
//   1. A slot's word says what it has: generation, kind, and whether a call uses it. Only who has
//      set `used` touches the object, so that no other thread frees it meanwhile.
//   2. A word never comes back: a slot whose generations are used up is given to nobody.
//
// Thread safety: all of it. Cost: acquire() and release one atomic operation each; insert() and
// remove() a lock. 32 bytes a slot; slots are never given back.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <mutex>
#include <utility>

#include "copse.h"

namespace copse::capi {

// Of an object that handles stand for; 0 is none.
enum class Kind : std::uint8_t { machine = 1, engine, request, queue };

class Object {
 public:
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;
};

class HandleTable {
 public:
  static constexpr std::uint32_t kSlotsMax = 1'000'000;

  // The only one.
  [[nodiscard]] static HandleTable& of_process();

  // nullptr: there are kSlotsMax.
  [[nodiscard]] void* insert(Kind kind, std::unique_ptr<Object> object);

  // The use of an object by one call.
  class Use {
   public:
    Use(std::atomic<std::uint64_t>& word, std::uint64_t idle, Object& object)
        : word_(&word), idle_(idle), object_(&object) {}
    Use(Use&& other) noexcept
        : word_(std::exchange(other.word_, nullptr)), idle_(other.idle_), object_(other.object_) {}
    Use& operator=(Use&&) = delete;
    ~Use() {
      if (word_ != nullptr) word_->store(idle_, std::memory_order_release);
    }
    [[nodiscard]] Object& object() const { return *object_; }

   private:
    std::atomic<std::uint64_t>* word_;
    std::uint64_t idle_;
    Object* object_;
  };
  // Errors: COPSE_BAD_HANDLE; COPSE_BUSY, if it is in use.
  [[nodiscard]] std::expected<Use, copse_code> acquire(Kind kind, const void* handle);
  // The handle is good no more. Errors: as acquire().
  [[nodiscard]] std::expected<std::unique_ptr<Object>, copse_code> remove(Kind kind,
                                                                          const void* handle);

 private:
  static constexpr std::uint32_t kChunk = 1024;
  static constexpr std::uint32_t kChunks = (kSlotsMax + kChunk - 1) / kChunk;
  struct Slot {
    std::atomic<std::uint64_t> word{0};  // of its handle, and kUsed; 0: free
    std::unique_ptr<Object> object;
    std::uint32_t generation = 0;
  };
  using Chunk = std::array<Slot, kChunk>;

  [[nodiscard]] Slot* slot_of(std::uint64_t word);
  [[nodiscard]] std::expected<Slot*, copse_code> take(Kind kind, const void* handle);

  std::mutex mutex_;  // for insert() and remove()
  std::array<std::atomic<Chunk*>, kChunks> chunks_{};
  std::uint32_t slots_ = 0;
  std::deque<std::uint32_t> unused_;  // the one that is free for longest first
};

}  // namespace copse::capi
