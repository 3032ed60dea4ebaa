// SPDX-License-Identifier: Apache-2.0
//
// HandleTable: maps the handles of include/copse.h to objects.
//
// A handle is a number in the form of an invalid pointer: a tag, a slot number, the generation of
// the slot, and a kind. So a freed handle, one of another kind, or one that never existed is
// detected without reading memory that may have been freed. That takes one table for the process.
// It is the library's only global state, and makes no decisions.
//
// Invariants
//   1. The word of a slot has its generation, its kind, and whether a call uses it. Only the call
//      that has set `used` accesses the object, so no other thread frees it meanwhile.
//   2. A word never recurs: a slot whose generations are exhausted is not reused.
//
// Thread safety: full. Cost: acquire() and release one atomic operation each; insert() and remove()
// a lock. 32 bytes a slot; slots are not returned.
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

// The kind of an object; 0: none.
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

  // The instance of the process.
  [[nodiscard]] static HandleTable& of_process();

  // nullptr: all kSlotsMax slots are in use.
  [[nodiscard]] void* insert(Kind kind, std::unique_ptr<Object> object);

  // The exclusive use of an object by one call.
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
  // Errors: COPSE_BAD_HANDLE; COPSE_BUSY (in use).
  [[nodiscard]] std::expected<Use, copse_code> acquire(Kind kind, const void* handle);
  // Invalidates the handle. Errors: as acquire().
  [[nodiscard]] std::expected<std::unique_ptr<Object>, copse_code> remove(Kind kind,
                                                                          const void* handle);

 private:
  static constexpr std::uint32_t kChunk = 1024;
  static constexpr std::uint32_t kChunks = (kSlotsMax + kChunk - 1) / kChunk;
  struct Slot {
    std::atomic<std::uint64_t> word{0};  // handle and kUsed; 0: free
    std::unique_ptr<Object> object;
    std::uint32_t generation = 0;
  };
  using Chunk = std::array<Slot, kChunk>;

  [[nodiscard]] Slot* slot_of(std::uint64_t word);
  [[nodiscard]] std::expected<Slot*, copse_code> take(Kind kind, const void* handle);

  std::mutex mutex_;  // for insert() and remove()
  std::array<std::atomic<Chunk*>, kChunks> chunks_{};
  std::uint32_t slots_ = 0;
  std::deque<std::uint32_t> unused_;  // longest unused first
};

}  // namespace copse::capi
