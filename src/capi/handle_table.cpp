// SPDX-License-Identifier: Apache-2.0
#include "capi/handle_table.hpp"

namespace copse::capi {

namespace {

// From the low bits: used (1), kind (3), slot (20), generation (24), tag (16). The tag makes the
// address non-canonical, so that a program that dereferences a handle crashes at once.
constexpr std::uint64_t kUsed = 1, kTag = std::uint64_t{0xC095} << 48;
constexpr unsigned kKindAt = 1, kSlotAt = 4, kGenerationAt = 24;
constexpr std::uint32_t kSlotMask = (1U << 20) - 1, kGenerationMax = (1U << 24) - 1;
static_assert(HandleTable::kSlotsMax <= kSlotMask && sizeof(void*) == 8);

std::uint64_t word_of(Kind kind, std::uint32_t slot, std::uint32_t generation) {
  return kTag | std::uint64_t{generation} << kGenerationAt | std::uint64_t{slot} << kSlotAt |
         std::uint64_t{static_cast<std::uint8_t>(kind)} << kKindAt;
}

}  // namespace

// Never destroyed: handles may be used while the process ends.
HandleTable& HandleTable::of_process() {
  static auto* const table = new HandleTable;
  return *table;
}

HandleTable::Slot* HandleTable::slot_of(std::uint64_t word) {
  const auto number = static_cast<std::uint32_t>(word >> kSlotAt) & kSlotMask;
  if (number >= kSlotsMax) return nullptr;
  Chunk* const chunk = chunks_.at(number / kChunk).load(std::memory_order_acquire);
  return chunk == nullptr ? nullptr : &chunk->at(number % kChunk);
}

void* HandleTable::insert(Kind kind, std::unique_ptr<Object> object) {
  const std::lock_guard lock(mutex_);
  std::uint32_t number = slots_;
  if (!unused_.empty()) {
    number = unused_.front();
    unused_.pop_front();
  } else if (slots_ < kSlotsMax) {
    std::atomic<Chunk*>& chunk = chunks_.at(number / kChunk);
    if (chunk.load() == nullptr) chunk.store(new Chunk, std::memory_order_release);
    ++slots_;
  } else {
    return nullptr;
  }
  Slot& slot = chunks_.at(number / kChunk).load()->at(number % kChunk);
  slot.object = std::move(object);
  const std::uint64_t word = word_of(kind, number, slot.generation);
  slot.word.store(word, std::memory_order_release);
  return reinterpret_cast<void*>(word);  // NOLINT(performance-no-int-to-ptr): not an address
}

std::expected<HandleTable::Slot*, copse_code> HandleTable::take(Kind kind, const void* handle) {
  const auto word = reinterpret_cast<std::uint64_t>(handle);
  const bool well_formed = (word >> 48) == (kTag >> 48) && (word & kUsed) == 0 &&
                           ((word >> kKindAt) & 7) == static_cast<std::uint8_t>(kind);
  Slot* const slot = well_formed ? slot_of(word) : nullptr;
  if (slot == nullptr) return std::unexpected(COPSE_BAD_HANDLE);
  std::uint64_t found = word;
  if (slot->word.compare_exchange_strong(found, word | kUsed, std::memory_order_acquire)) {
    return slot;
  }
  return std::unexpected(found == (word | kUsed) ? COPSE_BUSY : COPSE_BAD_HANDLE);
}

std::expected<HandleTable::Use, copse_code> HandleTable::acquire(Kind kind, const void* handle) {
  const auto slot = take(kind, handle);
  if (!slot) return std::unexpected(slot.error());
  return Use((*slot)->word, reinterpret_cast<std::uint64_t>(handle), *(*slot)->object);
}

std::expected<std::unique_ptr<Object>, copse_code> HandleTable::remove(Kind kind,
                                                                       const void* handle) {
  const auto slot = take(kind, handle);
  if (!slot) return std::unexpected(slot.error());
  const auto number =
      static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(handle) >> kSlotAt) & kSlotMask;
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Object> object = std::move((*slot)->object);
  (*slot)->word.store(0, std::memory_order_release);
  if (++(*slot)->generation <= kGenerationMax) unused_.push_back(number);
  return object;
}

}  // namespace copse::capi
