// SPDX-License-Identifier: Apache-2.0
//
// StepLeaf: up to 64 steps of a step tree in one piece of memory, column by column.
//
// Columns: when (an offset from a base that whoever owns the leaf knows), for each dimension the
// amount in use from there on, less what was in use before the leaf's first step; how many spans
// start or end there. Offsets have 4 bytes, or 8 (`wide`) where the leaf covers more than 2^32 s.
//
// Sketch: 8 bytes, and for each step (8 or 12) + D·sizeof(Value); room for at most 8 more steps
// than there are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

namespace copse::steps {

// Times as unsigned numbers of the same order.
using Instant = std::uint64_t;

template <class Value>
struct Leaf {
  static constexpr std::uint32_t kSteps = 64;

  std::uint16_t count;
  std::uint16_t capacity;  // even, so that all columns are aligned
  std::uint32_t wide;

  // --- Memory
  [[nodiscard]] static std::size_t bytes(std::uint32_t capacity, bool wide, std::uint32_t d) {
    return sizeof(Leaf) + capacity * ((wide ? 8u : 4u) + 4u + d * sizeof(Value));
  }
  [[nodiscard]] static Leaf* make(std::uint32_t room, bool wide, std::uint32_t d) {
    const std::uint32_t capacity = room <= 2 ? 2 : room <= 4 ? 4 : (room + 7) / 8 * 8;
    return new (::operator new(bytes(capacity, wide, d)))
        Leaf{0, static_cast<std::uint16_t>(capacity), wide};
  }
  static void free(Leaf* leaf) { ::operator delete(leaf); }

  // --- Columns
  template <class Offset>
  [[nodiscard]] Offset* offsets() {
    return reinterpret_cast<Offset*>(this + 1);
  }
  template <class Offset>
  [[nodiscard]] const Offset* offsets() const {
    return reinterpret_cast<const Offset*>(this + 1);
  }
  [[nodiscard]] Value* values(std::uint32_t k) {
    return reinterpret_cast<Value*>(reinterpret_cast<char*>(this + 1) +
                                    capacity * (wide ? 8u : 4u)) +
           std::size_t{k} * capacity;
  }
  [[nodiscard]] const Value* values(std::uint32_t k) const {
    return const_cast<Leaf*>(this)->values(k);
  }
  [[nodiscard]] std::uint32_t* references(std::uint32_t d) {
    return reinterpret_cast<std::uint32_t*>(values(d));
  }
  // f(offsets of the width that this leaf has)
  template <class F>
  decltype(auto) with_offsets(F f) const {
    return wide ? f(offsets<std::uint64_t>()) : f(offsets<std::uint32_t>());
  }

  [[nodiscard]] std::uint64_t offset(std::uint32_t i) const {
    return wide ? offsets<std::uint64_t>()[i] : offsets<std::uint32_t>()[i];
  }
  void set_offset(std::uint32_t i, std::uint64_t offset) {
    if (wide) {
      offsets<std::uint64_t>()[i] = offset;
    } else {
      offsets<std::uint32_t>()[i] = static_cast<std::uint32_t>(offset);
    }
  }
  [[nodiscard]] Value sum(std::uint32_t k) const { return count == 0 ? 0 : values(k)[count - 1]; }

  // The first step at or after an offset; `count` if there is none.
  [[nodiscard]] std::uint32_t at_or_after(std::uint64_t offset) const {
    // Counting all is quicker than a search that guesses.
    return with_offsets([&](const auto* offsets) {
      using Offset = std::decay_t<decltype(*offsets)>;
      if (offset > static_cast<Offset>(~Offset{0})) return std::uint32_t{count};
      const auto limit = static_cast<Offset>(offset);
      Offset before = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        before = static_cast<Offset>(before + (offsets[i] < limit ? 1u : 0u));
      }
      return static_cast<std::uint32_t>(before);
    });
  }

  // --- Changes
  // The same steps in a leaf of another capacity or width, their offsets `shift` larger.
  [[nodiscard]] static Leaf* remade(Leaf* old, std::uint32_t room, bool wide, std::uint64_t shift,
                                    std::uint32_t d) {
    Leaf* made = make(room, wide, d);
    made->count = old->count;
    for (std::uint32_t i = 0; i < old->count; ++i) made->set_offset(i, old->offset(i) + shift);
    for (std::uint32_t k = 0; k < d; ++k) {
      std::memcpy(made->values(k), old->values(k), old->count * sizeof(Value));
    }
    std::memcpy(made->references(d), old->references(d), old->count * sizeof(std::uint32_t));
    free(old);
    return made;
  }
  // Makes step i, at which nothing changes yet. REQUIRES room for it.
  void open(std::uint32_t i, std::uint64_t offset, std::uint32_t d) {
    const std::uint32_t after = count - i;
    if (wide) {
      std::memmove(offsets<std::uint64_t>() + i + 1, offsets<std::uint64_t>() + i, after * 8u);
    } else {
      std::memmove(offsets<std::uint32_t>() + i + 1, offsets<std::uint32_t>() + i, after * 4u);
    }
    set_offset(i, offset);
    for (std::uint32_t k = 0; k < d; ++k) {
      Value* column = values(k);
      std::memmove(column + i + 1, column + i, after * sizeof(Value));
      column[i] = i == 0 ? 0 : column[i - 1];
    }
    std::uint32_t* counts = references(d);
    std::memmove(counts + i + 1, counts + i, after * 4u);
    counts[i] = 0;
    ++count;
  }
  void erase(std::uint32_t i, std::uint32_t d) {
    const std::uint32_t after = count - i - 1u;
    if (wide) {
      std::memmove(offsets<std::uint64_t>() + i, offsets<std::uint64_t>() + i + 1, after * 8u);
    } else {
      std::memmove(offsets<std::uint32_t>() + i, offsets<std::uint32_t>() + i + 1, after * 4u);
    }
    for (std::uint32_t k = 0; k < d; ++k) {
      std::memmove(values(k) + i, values(k) + i + 1, after * sizeof(Value));
    }
    std::memmove(references(d) + i, references(d) + i + 1, after * 4u);
    --count;
  }
  // Adds a change of the amounts at step i.
  void change(std::uint32_t i, const std::int64_t* amounts, std::int64_t sign, std::uint32_t d) {
    for (std::uint32_t k = 0; k < d; ++k) {
      const auto amount = static_cast<Value>(sign * amounts[k]);
      Value* column = values(k);
      for (std::uint32_t r = i; r < count; ++r) column[r] = static_cast<Value>(column[r] + amount);
    }
  }
  // Appends steps [first, last) of another leaf: offsets less `less`, amounts less what that leaf
  // has before `first`, and on top of what this one has at its end.
  void append(Leaf& from, std::uint32_t first, std::uint32_t last, std::uint64_t less,
              std::uint32_t d) {
    for (std::uint32_t i = first; i < last; ++i) {
      set_offset(count + i - first, from.offset(i) - less);
    }
    for (std::uint32_t k = 0; k < d; ++k) {
      const Value* in = from.values(k);
      const Value before = first == 0 ? Value{0} : in[first - 1];
      const Value base = static_cast<Value>(sum(k) - before);
      Value* out = values(k) + count;
      for (std::uint32_t i = first; i < last; ++i) {
        out[i - first] = static_cast<Value>(in[i] + base);
      }
    }
    std::memcpy(references(d) + count, from.references(d) + first, (last - first) * 4u);
    count = static_cast<std::uint16_t>(count + last - first);
  }
};

}  // namespace copse::steps
