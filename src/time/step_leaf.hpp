// SPDX-License-Identifier: Apache-2.0
//
// StepLeaf: up to 64 steps of a step tree in one piece of memory, column by column.
//
// Columns: for each dimension the amount in use from a step on, relative to the amount before the
// leaf's first step; the time of the step, as an offset from a base that the owner knows; the
// number of spans that start or end there. Offsets have 2, 4 or 8 bytes, depending on the time that
// the leaf covers; counts have 1 byte until one is above 255, then 4. Offsets after the last step
// have the largest value, so that a search may read them, too.
//
// Size: 8 bytes, and for each step D·sizeof(Value) + (2, 4 or 8) + (1 or 4); capacity for at most 8
// more steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace copse::steps {

// Times as unsigned numbers of the same order.
using Instant = std::uint64_t;

template <class Value>
struct Leaf {
  static constexpr std::uint32_t kSteps = 64;

  struct Widths {
    std::uint8_t offset = 4, references = 1;  // bytes
    bool operator==(const Widths&) const = default;
  };

  std::uint16_t count;
  std::uint16_t capacity;  // even, so that all columns are aligned
  Widths widths;
  std::uint16_t unused;

  // --- Memory
  [[nodiscard]] static std::size_t bytes(std::uint32_t capacity, Widths widths, std::uint32_t d) {
    return sizeof(Leaf) + capacity * (widths.offset + widths.references + d * sizeof(Value));
  }
  [[nodiscard]] static Leaf* make(std::uint32_t room, Widths widths, std::uint32_t d) {
    const std::uint32_t capacity = room <= 2 ? 2 : room <= 4 ? 4 : (room + 7) / 8 * 8;
    Leaf* leaf = new (::operator new(bytes(capacity, widths, d)))
        Leaf{0, static_cast<std::uint16_t>(capacity), widths, 0};
    std::memset(static_cast<void*>(leaf->values(d)), 0xff, std::size_t{capacity} * widths.offset);
    return leaf;
  }
  static void free(Leaf* leaf) { ::operator delete(leaf); }
  [[nodiscard]] static Leaf* copy(const Leaf& leaf, std::uint32_t d) {
    const std::size_t n = bytes(leaf.capacity, leaf.widths, d);
    void* made = ::operator new(n);
    std::memcpy(made, static_cast<const void*>(&leaf), n);
    return static_cast<Leaf*>(made);
  }

  // --- Columns
  [[nodiscard]] Value* values(std::uint32_t k) {
    return reinterpret_cast<Value*>(this + 1) + std::size_t{k} * capacity;
  }
  [[nodiscard]] const Value* values(std::uint32_t k) const {
    return reinterpret_cast<const Value*>(this + 1) + std::size_t{k} * capacity;
  }
  // Calls f(offsets) or f(counts of spans), with a pointer to the type of this leaf's width.
  template <class F>
  decltype(auto) with_offsets(std::uint32_t d, F f) {
    void* offsets = values(d);
    if (widths.offset == 2) return f(static_cast<std::uint16_t*>(offsets));
    if (widths.offset == 4) return f(static_cast<std::uint32_t*>(offsets));
    return f(static_cast<std::uint64_t*>(offsets));
  }
  template <class F>
  decltype(auto) with_offsets(std::uint32_t d, F f) const {
    const void* offsets = values(d);
    if (widths.offset == 2) return f(static_cast<const std::uint16_t*>(offsets));
    if (widths.offset == 4) return f(static_cast<const std::uint32_t*>(offsets));
    return f(static_cast<const std::uint64_t*>(offsets));
  }
  template <class F>
  decltype(auto) with_references(std::uint32_t d, F f) {
    void* counts = reinterpret_cast<char*>(values(d)) + capacity * std::size_t{widths.offset};
    if (widths.references == 1) return f(static_cast<std::uint8_t*>(counts));
    return f(static_cast<std::uint32_t*>(counts));
  }

  [[nodiscard]] std::uint64_t offset(std::uint32_t i, std::uint32_t d) const {
    return with_offsets(d, [&](const auto* offsets) { return std::uint64_t{offsets[i]}; });
  }
  void set_offset(std::uint32_t i, std::uint64_t offset, std::uint32_t d) {
    with_offsets(d, [&](auto* offsets) {
      offsets[i] = static_cast<std::decay_t<decltype(*offsets)>>(offset);
    });
  }
  [[nodiscard]] std::uint32_t references(std::uint32_t i, std::uint32_t d) {
    return with_references(d, [&](auto* counts) { return std::uint32_t{counts[i]}; });
  }
  // REQUIRES that the column is wide enough.
  void set_references(std::uint32_t i, std::uint32_t count_at, std::uint32_t d) {
    with_references(d, [&](auto* counts) {
      counts[i] = static_cast<std::decay_t<decltype(*counts)>>(count_at);
    });
  }
  [[nodiscard]] Value sum(std::uint32_t k) const { return count == 0 ? 0 : values(k)[count - 1]; }

  // The first step at or after an offset; `count` if there is none.
  [[nodiscard]] std::uint32_t at_or_after(std::uint64_t offset, std::uint32_t d) const {
    // Counting all offsets is faster than a binary search, whose branches are unpredictable. The
    // last group has eight, too: offsets after the last step have the largest value.
    return with_offsets(d, [&](const auto* offsets) {
      using Offset = std::decay_t<decltype(*offsets)>;
      if (offset > static_cast<Offset>(~Offset{0})) return std::uint32_t{count};
      const auto limit = static_cast<Offset>(offset);
      const std::uint32_t rows = capacity < 8 ? capacity : (count + 7u) / 8 * 8;
      if (capacity < 8) {
        std::uint32_t before = 0;
        for (std::uint32_t i = 0; i < rows; ++i) before += offsets[i] < limit ? 1u : 0u;
        return before;
      }
      // NOLINTNEXTLINE(modernize-use-using): the attribute depends on Offset, which g++ wants so
      typedef Offset LaneOffsets __attribute__((vector_size(8 * sizeof(Offset))));
      const LaneOffsets limits = LaneOffsets{} + limit;
      LaneOffsets before{};
      for (std::uint32_t i = 0; i < rows; i += 8) {
        LaneOffsets at;
        std::memcpy(&at, offsets + i, sizeof at);
        before -= reinterpret_cast<LaneOffsets>(at < limits);
      }
      std::uint32_t sum = 0;
      for (std::uint32_t i = 0; i < 8; ++i) sum += static_cast<std::uint32_t>(before[i]);
      return sum;
    });
  }

  // Bit i: the i-th of the first `rows` amounts of dimension k is above `most`.
  [[nodiscard]] std::uint64_t above(std::uint32_t k, std::uint32_t rows, Value most) const {
    const Value* column = values(k);
    std::uint64_t out = 0;
    std::uint32_t i = 0;
#ifdef __SSE2__
    if constexpr (sizeof(Value) == 4) {
      const __m128i limit = _mm_set1_epi32(most);
      for (; i + 4 <= rows; i += 4) {
        const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(column + i));
        const int bits = _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(four, limit)));
        out |= static_cast<std::uint64_t>(bits) << i;
      }
    }
#endif
    for (; i + 8 <= rows; i += 8) {
      std::uint32_t eight = 0;
      for (std::uint32_t j = 0; j < 8; ++j) eight |= (column[i + j] > most ? 1u : 0u) << j;
      out |= std::uint64_t{eight} << i;
    }
    for (; i < rows; ++i) out |= std::uint64_t{column[i] > most} << i;
    return out;
  }

  // --- Changes
  // The same steps in a leaf of another capacity or other widths, their offsets `shift` larger.
  [[nodiscard]] static Leaf* remade(Leaf* old, std::uint32_t room, Widths widths,
                                    std::uint64_t shift, std::uint32_t d) {
    Leaf* made = make(room, widths, d);
    made->append(*old, 0, old->count, std::uint64_t{0} - shift, d);
    free(old);
    return made;
  }
  // Inserts step i, without a change and without spans. REQUIRES capacity for it.
  void open(std::uint32_t i, std::uint64_t offset, std::uint32_t d) {
    auto move = [&](auto* column) {
      std::copy_backward(column + i, column + count, column + count + 1);
    };
    for (std::uint32_t k = 0; k < d; ++k) {
      Value* column = values(k);
      move(column);
      column[i] = i == 0 ? 0 : column[i - 1];
    }
    with_offsets(d, move);
    with_references(d, move);
    set_offset(i, offset, d);
    set_references(i, 0, d);
    ++count;
  }
  void erase(std::uint32_t i, std::uint32_t d) {
    auto move = [&](auto* column) { std::copy(column + i + 1, column + count, column + i); };
    for (std::uint32_t k = 0; k < d; ++k) move(values(k));
    with_offsets(d, move);
    with_references(d, move);
    --count;
    set_offset(count, ~std::uint64_t{0}, d);
  }
  // Adds a change of the amounts at step i.
  void change(std::uint32_t i, const std::int64_t* amounts, std::int64_t sign, std::uint32_t d) {
    for (std::uint32_t k = 0; k < d; ++k) {
      const auto amount = static_cast<Value>(sign * amounts[k]);
      Value* column = values(k);
      for (std::uint32_t r = i; r < count; ++r) column[r] = static_cast<Value>(column[r] + amount);
    }
  }
  // Appends steps [first, last) of another leaf: offsets are reduced by `less`; amounts are
  // relative to that leaf's amount before `first`, and added to this leaf's amount at its end.
  void append(Leaf& from, std::uint32_t first, std::uint32_t last, std::uint64_t less,
              std::uint32_t d) {
    for (std::uint32_t k = 0; k < d; ++k) {
      const Value* in = from.values(k);
      const Value before = first == 0 ? Value{0} : in[first - 1];
      const Value base = static_cast<Value>(sum(k) - before);
      Value* out = values(k) + count;
      for (std::uint32_t i = first; i < last; ++i) {
        out[i - first] = static_cast<Value>(in[i] + base);
      }
    }
    from.with_offsets(d, [&](const auto* in) {
      with_offsets(d, [&](auto* out) {
        using Offset = std::decay_t<decltype(*out)>;
        for (std::uint32_t i = first; i < last; ++i) {
          out[count + i - first] = static_cast<Offset>(in[i] - less);
        }
      });
    });
    from.with_references(d, [&](const auto* in) {
      with_references(d, [&](auto* out) {
        using Count = std::decay_t<decltype(*out)>;
        for (std::uint32_t i = first; i < last; ++i) {
          out[count + i - first] = static_cast<Count>(in[i]);
        }
      });
    });
    count = static_cast<std::uint16_t>(count + last - first);
  }
};

}  // namespace copse::steps
