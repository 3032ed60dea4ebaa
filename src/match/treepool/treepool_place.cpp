// SPDX-License-Identifier: Apache-2.0
#include "match/treepool/treepool_place.hpp"

#include <algorithm>
#include <bit>

namespace copse {

namespace {

// The lowest `n` bits that are set. REQUIRES 0 < n <= popcount(word).
Word lowest_bits(Word word, std::uint32_t n) {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(word));
  if (n >= 64) return word;
  const Word run = ((Word{1} << n) - 1) << first;
  if ((word & run) == run && first + n <= 64) return run;
  Word rest = word;
  for (std::uint32_t i = 0; i < n; ++i) rest &= rest - 1;
  return word & ~rest;
}

// Takes the lowest n bits that `left` and the part have in common. REQUIRES that there are so many.
void take_lowest(const NodeKind& kind, const MaskPart& part, std::int64_t n, Word* left) {
  const Word* words = kind.part_words(part);
  for (std::uint32_t i = 0; n > 0; ++i) {
    Word& at = left[part.first + i];
    const Word both = at & words[i];
    if (both == 0) continue;
    const auto have = static_cast<std::int64_t>(std::popcount(both));
    if (have <= n) {
      at &= ~both;
    } else {
      at &= ~lowest_bits(both, static_cast<std::uint32_t>(n));
    }
    n -= have;
  }
}

bool all_free(const NodeKind& kind, const MaskPart& part, const Word* mask) {
  const Word* words = kind.part_words(part);
  for (std::uint32_t i = 0; i < part.count; ++i) {
    if ((mask[part.first + i] & words[i]) != words[i]) return false;
  }
  return true;
}

void take_all(const NodeKind& kind, const MaskPart& part, Word* mask) {
  const Word* words = kind.part_words(part);
  for (std::uint32_t i = 0; i < part.count; ++i) mask[part.first + i] &= ~words[i];
}

// Bits that the mask and both parts have in common; `within` may be nullptr.
std::uint32_t count_common(const NodeKind& kind, const MaskPart& part, const MaskPart* within,
                           const Word* mask) {
  if (within == nullptr) return count_free(kind, part, mask);
  const Word *a = kind.part_words(part), *b = kind.part_words(*within);
  const std::uint32_t first = std::max(part.first, within->first);
  const std::uint32_t end = std::min(part.first + part.count, within->first + within->count);
  std::uint32_t bits = 0;
  for (std::uint32_t i = first; i < end; ++i) {
    const Word common = mask[i] & a[i - part.first] & b[i - within->first];
    bits += static_cast<std::uint32_t>(std::popcount(common));
  }
  return bits;
}

void take_common(const NodeKind& kind, const MaskPart& part, const MaskPart* within, std::int64_t n,
                 Word* mask) {
  if (within == nullptr) return take_lowest(kind, part, n, mask);
  const Word *a = kind.part_words(part), *b = kind.part_words(*within);
  for (std::uint32_t i = std::max(part.first, within->first); n > 0; ++i) {
    const Word common = mask[i] & a[i - part.first] & b[i - within->first];
    if (common == 0) continue;
    const auto have = static_cast<std::int64_t>(std::popcount(common));
    mask[i] &= have <= n ? ~common : ~lowest_bits(common, static_cast<std::uint32_t>(n));
    n -= have;
  }
}

// Whether a group has, within another, so much free of the stocks.
bool have_stocks(const NodeKind& kind, const Group& group, const Group* within,
                 const StockAmounts& amounts, const Word* mask) {
  for (std::size_t k = 0; k < kStocks; ++k) {
    if (amounts[k] == 0) continue;
    const MaskPart* inside = within == nullptr ? nullptr : &within->stocks[k];
    if (count_common(kind, group.stocks[k], inside, mask + kind.stock_at(k)) < amounts[k]) {
      return false;
    }
  }
  return true;
}

void take_stocks(const NodeKind& kind, const Group& group, const Group* within,
                 const StockAmounts& amounts, Word* mask) {
  for (std::size_t k = 0; k < kStocks; ++k) {
    if (amounts[k] == 0) continue;
    const MaskPart* inside = within == nullptr ? nullptr : &within->stocks[k];
    take_common(kind, group.stocks[k], inside, amounts[k], mask + kind.stock_at(k));
  }
}

// All that a domain has, stocks of domains around it left aside.
bool all_free(const NodeKind& kind, const Group& group, const Word* mask) {
  bool free =
      all_free(kind, group.cores, mask) && all_free(kind, group.gpus, mask + kind.core_words);
  for (std::size_t k = 0; k < kStocks && free; ++k) {
    free = group.borrowed[k] || all_free(kind, group.stocks[k], mask + kind.stock_at(k));
  }
  return free;
}

void take_all(const NodeKind& kind, const Group& group, Word* mask) {
  take_all(kind, group.cores, mask);
  take_all(kind, group.gpus, mask + kind.core_words);
  for (std::size_t k = 0; k < kStocks; ++k) {
    if (!group.borrowed[k]) take_all(kind, group.stocks[k], mask + kind.stock_at(k));
  }
}

}  // namespace

std::uint32_t count_free(const NodeKind& kind, const MaskPart& part, const Word* mask) {
  const Word* words = kind.part_words(part);
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < part.count; ++i) {
    bits += static_cast<std::uint32_t>(std::popcount(mask[part.first + i] & words[i]));
  }
  return bits;
}

std::uint32_t count_bits(std::span<const Word> mask) {
  std::uint32_t bits = 0;
  for (Word w : mask) bits += static_cast<std::uint32_t>(std::popcount(w));
  return bits;
}

std::int64_t Placer::with_gpus(const NodeKind& kind, const Unit& unit, std::int64_t most,
                               Word* left) {
  Word* gpus_left = left + kind.core_words;
  const bool stocks = unit.has_stocks();
  std::int64_t placed = 0;
  for (const NodeKind::Level& level : kind.levels) {
    for (std::uint32_t g = level.first; g < level.first + level.count; ++g) {
      const Group& group = kind.groups[g];
      if (placed == most) return placed;
      std::int64_t gpus = count_free(kind, group.gpus, gpus_left);
      if (gpus < unit.gpus) continue;
      std::int64_t cores = count_free(kind, group.cores, left);
      for (; cores >= unit.cores && gpus >= unit.gpus && placed < most; ++placed) {
        if (stocks && !have_stocks(kind, group, nullptr, unit.stocks, left)) break;
        take_lowest(kind, group.cores, unit.cores, left);
        take_lowest(kind, group.gpus, unit.gpus, gpus_left);
        if (stocks) take_stocks(kind, group, nullptr, unit.stocks, left);
        cores -= unit.cores;
        gpus -= unit.gpus;
      }
    }
  }
  return placed;
}

std::int64_t Placer::cores_only(const NodeKind& kind, std::int64_t cores, std::int64_t most,
                                bool spill, Word* left) {
  std::int64_t placed = 0;
  for (const NodeKind::Level& level : kind.levels) {
    order_.clear();
    for (std::uint32_t g = level.first; g < level.first + level.count; ++g) {
      const std::uint32_t free = count_free(kind, kind.groups[g].cores, left);
      if (free >= cores) order_.push_back({free, g});
    }
    if (order_.empty()) continue;
    std::ranges::stable_sort(order_, {}, &Scored::free);
    for (const Scored& at : order_) {
      // Groups may overlap: what was free at first may have gone.
      const MaskPart& part = kind.groups[at.group].cores;
      std::int64_t free = at.free;
      if (&at != order_.data()) free = count_free(kind, part, left);
      for (; free >= cores && placed < most; ++placed, free -= cores) {
        take_lowest(kind, part, cores, left);
      }
      if (placed == most) return placed;
    }
    if (!spill) return placed;
  }
  return placed;
}

std::int64_t Placer::place(const NodeKind& kind, const Unit& unit, std::int64_t most, bool spill,
                           Word* left) {
  if (unit.parts.empty()) {
    if (unit.gpus > 0 || unit.has_stocks()) return with_gpus(kind, unit, most, left);
    if (unit.cores > 0) return cores_only(kind, unit.cores, most, spill, left);
    return most;  // a node that is taken whole, whatever it has
  }
  std::int64_t placed = 0;
  while (placed < most && one_with_parts(kind, unit, left)) ++placed;
  return placed;
}

// --- Slots with domains in them

bool Placer::one_with_parts(const NodeKind& kind, const Unit& unit, Word* left) {
  const Scope node{0, static_cast<std::uint32_t>(kind.domains.size()), nullptr};
  const std::size_t mark = saved_.size();
  saved_.insert(saved_.end(), left, left + kind.word_count());
  const bool placed = all_parts(kind, unit.parts, node, left) &&
                      take_in(kind, unit.cores, unit.gpus, unit.stocks, node, left);
  if (!placed) std::copy(saved_.begin() + static_cast<std::ptrdiff_t>(mark), saved_.end(), left);
  saved_.resize(mark);
  return placed;
}

bool Placer::all_parts(const NodeKind& kind, const std::vector<NamedPart>& parts,
                       const Scope& scope, Word* left) {
  for (const NamedPart& part : parts) {
    std::uint32_t from = scope.first;  // domains of one vertex are different ones
    for (std::int64_t i = 0; i < part.count; ++i) {
      if (!one_part(kind, part, scope, from, left)) return false;
    }
  }
  return true;
}

// The first domain of the name from `d` on that serves, in the order of the layout; of domains of
// one name in each other the outermost counts.
bool Placer::one_part(const NodeKind& kind, const NamedPart& part, const Scope& scope,
                      std::uint32_t& d, Word* left) {
  if (part.name == NamedPart::kNoName) return contents(kind, part, scope, left);
  while (d < scope.end) {
    const KindDomain& domain = kind.domains[d];
    if (domain.number != part.name) {
      ++d;
      continue;
    }
    const Group& group = kind.groups[domain.group];
    const Scope inside{d + 1, domain.end, &group};
    d = domain.end;
    if (part.whole && !all_free(kind, group, left)) continue;
    if (!contents(kind, part, inside, left)) continue;
    if (part.whole) take_all(kind, group, left);
    return true;
  }
  return false;
}

// Leaves what is left as it was, if it fails.
bool Placer::contents(const NodeKind& kind, const NamedPart& part, const Scope& scope, Word* left) {
  const bool stocks = part.stocks != StockAmounts{};
  if (part.cores == 0 && part.gpus == 0 && !stocks && part.parts.empty()) return true;
  const std::size_t mark = saved_.size();
  saved_.insert(saved_.end(), left, left + kind.word_count());
  bool placed = true;
  for (std::int64_t i = 0; i < part.repeat && placed; ++i) {
    placed = all_parts(kind, part.parts, scope, left) &&
             take_in(kind, part.cores, part.gpus, part.stocks, scope, left);
  }
  if (!placed) std::copy(saved_.begin() + static_cast<std::ptrdiff_t>(mark), saved_.end(), left);
  saved_.resize(mark);
  return placed;
}

// Cores, GPUs and stocks of one slot, in the finest group that has them all within the scope.
bool Placer::take_in(const NodeKind& kind, std::int64_t cores, std::int64_t gpus,
                     const StockAmounts& stocks, const Scope& scope, Word* left) {
  if (cores == 0 && gpus == 0 && stocks == StockAmounts{}) return true;
  const MaskPart* in_cores = scope.group == nullptr ? nullptr : &scope.group->cores;
  const MaskPart* in_gpus = scope.group == nullptr ? nullptr : &scope.group->gpus;
  for (const Group& group : kind.groups_by_level()) {
    if (count_common(kind, group.cores, in_cores, left) < cores) continue;
    if (count_common(kind, group.gpus, in_gpus, left + kind.core_words) < gpus) continue;
    if (!have_stocks(kind, group, scope.group, stocks, left)) continue;
    take_common(kind, group.cores, in_cores, cores, left);
    take_common(kind, group.gpus, in_gpus, gpus, left + kind.core_words);
    take_stocks(kind, group, scope.group, stocks, left);
    return true;
  }
  return false;
}

}  // namespace copse
