// SPDX-License-Identifier: Apache-2.0
#include "match/treepool/slot_placer.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace copse {

namespace {

// The lowest `n` set bits. REQUIRES 0 < n <= popcount(word).
Word lowest_bits(Word word, std::uint32_t n) {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(word));
  if (n >= 64) return word;
  const Word run = ((Word{1} << n) - 1) << first;
  if ((word & run) == run && first + n <= 64) return run;
  Word rest = word;
  for (std::uint32_t i = 0; i < n; ++i) rest &= rest - 1;
  return word & ~rest;
}

// The free bits of a part or, if `within` is given, of their intersection. Both, and the mask, are
// words of one kind of leaf.
class FreeBits {
 public:
  FreeBits(const NodeKind& kind, const MaskPart& part, const MaskPart* within, Word* mask)
      : mask_(mask), part_(kind.part_words(part) - part.first), first_(part.first) {
    end_ = first_ + part.count;
    within_ = part_;
    if (within == nullptr) return;
    within_ = kind.part_words(*within) - within->first;
    first_ = std::max(first_, within->first);
    end_ = std::min(end_, within->first + within->count);
  }
  [[nodiscard]] std::int64_t count() const {
    std::int64_t bits = 0;
    for (std::uint32_t i = first_; i < end_; ++i) bits += std::popcount(at(i));
    return bits;
  }
  // Takes the lowest n. REQUIRES n <= count().
  void take(std::int64_t n) {
    for (std::uint32_t i = first_; n > 0; ++i) {
      assert(i < end_);
      const Word free = at(i);
      if (free == 0) continue;
      const std::int64_t have = std::popcount(free);
      mask_[i] &= have <= n ? ~free : ~lowest_bits(free, static_cast<std::uint32_t>(n));
      n -= have;
    }
  }

 private:
  [[nodiscard]] Word at(std::uint32_t i) const { return mask_[i] & part_[i] & within_[i]; }
  Word* mask_;
  const Word *part_, *within_;  // shifted as if they began with the mask
  std::uint32_t first_, end_;
};

FreeBits free_bits(const NodeKind& kind, std::size_t k, const AffinityGroup& group,
                   const AffinityGroup* within, Word* left) {
  return {kind, group.parts[k], within == nullptr ? nullptr : &within->parts[k],
          left + kind.first_word[k]};
}

// Takes the amounts of one slot out of a group, within another; false if it does not have all of
// them.
bool take_in_group(const NodeKind& kind, const AffinityGroup& group, const AffinityGroup* within,
                   const LeafAmounts& amounts, Word* left) {
  for (std::size_t k = 0; k < kLeafKinds; ++k) {
    if (amounts[k] > 0 && free_bits(kind, k, group, within, left).count() < amounts[k]) {
      return false;
    }
  }
  for (std::size_t k = 0; k < kLeafKinds; ++k) {
    if (amounts[k] > 0) free_bits(kind, k, group, within, left).take(amounts[k]);
  }
  return true;
}

// Takes the amounts of one slot out of the finest group that has them all within the scope.
bool take_in_scope(const NodeKind& kind, const AffinityGroup* within, const LeafAmounts& amounts,
                   Word* left) {
  return amounts == LeafAmounts{} ||
         std::ranges::any_of(kind.groups_by_level(), [&](const AffinityGroup& group) {
           return take_in_group(kind, group, within, amounts, left);
         });
}

// Whether a domain is completely free, ignoring stocks of enclosing domains.
bool is_free(const NodeKind& kind, const AffinityGroup& group, Word* left) {
  for (std::size_t k = 0; k < kLeafKinds; ++k) {
    if (group.borrowed[k]) continue;
    if (free_bits(kind, k, group, nullptr, left).count() < group.parts[k].bits) return false;
  }
  return true;
}

void take_all(const NodeKind& kind, const AffinityGroup& group, Word* left) {
  for (std::size_t k = 0; k < kLeafKinds; ++k) {
    FreeBits bits = free_bits(kind, k, group, nullptr, left);
    if (!group.borrowed[k]) bits.take(bits.count());
  }
}

}  // namespace

std::int64_t SlotPlacer::cores_only(const NodeKind& kind, std::int64_t cores, std::int64_t most,
                                    bool spill, Word* left) {
  std::int64_t placed = 0;
  for (const NodeKind::Level& level : kind.levels) {
    order_.clear();
    for (std::uint32_t g = level.first; g < level.first + level.count; ++g) {
      const std::int64_t free = free_bits(kind, kCore, kind.groups[g], nullptr, left).count();
      if (free >= cores) order_.push_back({free, g});
    }
    if (order_.empty()) continue;
    std::ranges::stable_sort(order_, {}, &Scored::free);
    for (const Scored& at : order_) {
      FreeBits bits = free_bits(kind, kCore, kind.groups[at.group], nullptr, left);
      // Groups may overlap: bits that were free at first may have been taken.
      std::int64_t free = &at == order_.data() ? at.free : bits.count();
      for (; free >= cores && placed < most; ++placed, free -= cores) bits.take(cores);
      if (placed == most) return placed;
    }
    if (!spill) return placed;
  }
  return placed;
}

std::int64_t SlotPlacer::place(const NodeKind& kind, const Unit& unit, std::int64_t most,
                               bool spill, Word* left) {
  if (!unit.parts.empty()) return with_parts(kind, unit, most, left);
  std::int64_t placed = 0;
  if (unit.amounts[kGpu] == 0 && !unit.has_stocks()) {
    if (unit.amounts[kCore] == 0) return most;  // a node that is taken whole, whatever its contents
    return cores_only(kind, unit.amounts[kCore], most, spill, left);
  }
  for (const AffinityGroup& group : kind.groups_by_level()) {
    while (placed < most && take_in_group(kind, group, nullptr, unit.amounts, left)) ++placed;
  }
  return placed;
}

// --- Slots with domains in them

std::int64_t SlotPlacer::with_parts(const NodeKind& kind, const Unit& unit, std::int64_t most,
                                    Word* left) {
  const Scope node{0, static_cast<std::uint32_t>(kind.domains.size()), nullptr};
  const auto take_one = [&] {
    return all_parts(kind, unit.parts, node, left) &&
           take_in_scope(kind, nullptr, unit.amounts, left);
  };
  std::int64_t placed = 0;
  or_restore(kind, left, [&] {
    const std::uint32_t cores = kind.count(kCore, left);
    while (placed < most && or_restore(kind, left, take_one)) ++placed;
    if (!unit.whole_node && kind.count(kCore, left) == cores) placed = 0;
    return placed > 0;
  });
  return placed;
}

// Calls `take`, and restores the mask if it fails.
template <class Take>
bool SlotPlacer::or_restore(const NodeKind& kind, Word* left, Take take) {
  const std::size_t mark = saved_.size();
  saved_.insert(saved_.end(), left, left + kind.word_count());
  const bool taken = take();
  if (!taken) std::copy(saved_.begin() + static_cast<std::ptrdiff_t>(mark), saved_.end(), left);
  saved_.resize(mark);
  return taken;
}

bool SlotPlacer::all_parts(const NodeKind& kind, const std::vector<NamedPart>& parts,
                           const Scope& scope, Word* left) {
  for (const NamedPart& part : parts) {
    std::uint32_t from = scope.first;  // domains of one vertex are distinct
    for (std::int64_t i = 0; i < part.count; ++i) {
      if (!one_part(kind, part, scope, from, left)) return false;
    }
  }
  return true;
}

// Takes the first domain of the name from `d` on that fits, in the order of the layout; of nested
// domains of one name only the outermost counts.
bool SlotPlacer::one_part(const NodeKind& kind, const NamedPart& part, const Scope& scope,
                          std::uint32_t& d, Word* left) {
  if (part.name == NamedPart::kNoName) return contents(kind, part, scope, left);
  while (d < scope.end) {
    const KindDomain& domain = kind.domains[d];
    if (domain.number != part.name) {
      ++d;
      continue;
    }
    const AffinityGroup& group = kind.groups[domain.group];
    const Scope inside{d + 1, domain.end, &group};
    d = domain.end;
    if (part.whole && !is_free(kind, group, left)) continue;
    if (!contents(kind, part, inside, left)) continue;
    if (part.whole) take_all(kind, group, left);
    return true;
  }
  return false;
}

bool SlotPlacer::contents(const NodeKind& kind, const NamedPart& part, const Scope& scope,
                          Word* left) {
  if (part.amounts == LeafAmounts{} && part.parts.empty()) return true;
  return or_restore(kind, left, [&] {
    bool placed = true;
    for (std::int64_t i = 0; i < part.repeat && placed; ++i) {
      placed = all_parts(kind, part.parts, scope, left) &&
               take_in_scope(kind, scope.group, part.amounts, left);
    }
    return placed;
  });
}

}  // namespace copse
