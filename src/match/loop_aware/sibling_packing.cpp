// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/sibling_packing.hpp"

#include <algorithm>
#include <map>

#include "base/saturating.hpp"

namespace copse {

bool SiblingPacking::place(const CandidateSources::Source& source, bool record) {
  if (!make_shares(source.count)) return false;
  sort_into_kinds(source);
  if (placer_.budget().ended) return false;
  for (const Share& share : shares_) {
    // Beyond what any machine has; sums of two such numbers stay in range.
    if (share.units > INT64_MAX / 4 || __builtin_add_overflow(wanted_, share.units, &wanted_)) {
      return false;
    }
  }
  if (!cover(0, 0, 0)) return false;
  for (const Choice& choice : choices_) {
    Kind& kind = kinds_[choice.kind];
    const Share& share = shares_[choice.share];
    for (std::int64_t i = 0; record && i < choice.times; ++i) {
      placer_.note(list_, demands_[share.demand], kind.pools[kind.noted++], share.copy);
    }
  }
  return true;
}

// The largest shares first: they are the hardest to cover. Each takes at least one pool.
bool SiblingPacking::make_shares(std::uint32_t pools) {
  for (std::uint32_t d = 0; d < demands_.size(); ++d) {
    const std::int64_t units = placer_.level(demands_[d].level).count.min;
    if (demands_[d].shares > static_cast<std::int64_t>(pools - shares_.size())) return false;
    for (std::uint32_t copy = 0; copy < demands_[d].shares; ++copy) {
      shares_.push_back({d, copy, units});
    }
  }
  std::stable_sort(shares_.begin(), shares_.end(),
                   [](const Share& a, const Share& b) { return a.units > b.units; });
  return true;
}

void SiblingPacking::sort_into_kinds(const CandidateSources::Source& source) {
  // Every demand must see the same pools: a list filtered for one may lack pools of another.
  std::map<std::pair<std::int64_t, std::string>, std::uint32_t> known;
  std::string serves(demands_.size(), '0');
  for (std::uint32_t i = 0; i < demands_.size(); ++i) {
    CandidateSources::Cursor cursor;
    for (;;) {
      const PoolId v = placer_.next(source, demands_[i], cursor);
      if (v == kNoPool || placer_.budget().ended) break;
      if (!met_.insert(v.v).second) continue;
      bool any = false;
      for (std::uint32_t d = 0; d < demands_.size(); ++d) {
        const bool good = placer_.serves(list_, demands_[d], v);
        serves[d] = good ? '1' : '0';
        any |= good;
      }
      if (!any) continue;
      const std::int64_t size = std::min(placer_.graph().size(v), shares_[0].units);
      const auto [at, fresh] =
          known.emplace(std::pair{size, serves}, static_cast<std::uint32_t>(kinds_.size()));
      if (fresh) kinds_.push_back({size, serves, {}});
      kinds_[at->second].pools.push_back(v);
      ++kinds_[at->second].left;
    }
  }
}

// Whether the remaining pools, without regard to the demands that they fit, may cover the remaining
// shares.
bool SiblingPacking::enough() const {
  std::int64_t units = 0;
  for (const Kind& k : kinds_) {
    units = saturating_sum(units, saturating_product(k.left, k.size));
  }
  return units >= wanted_;
}

// Covers share s, which has `have` units, from kind k on, and then the later shares. The depth is
// bounded by ListPlacer::kDepthMax.
bool SiblingPacking::cover(std::uint32_t s, std::uint32_t k, std::int64_t have) {
  if (s == shares_.size()) return true;
  if (depth_ >= ListPlacer::kDepthMax) placer_.budget().ended = true;
  if (!placer_.budget().spend()) return false;
  const Share& share = shares_[s];
  if (k == 0) {
    if (!enough()) return false;
    if (failed_.contains(state(s))) return false;
  }
  bool good = false;
  if (k < kinds_.size()) {
    Kind& kind = kinds_[k];
    std::int64_t times = 0;
    if (kind.serves[share.demand] == '1') {
      times = std::min(kind.left, (share.units - have - 1) / kind.size + 1);
    }
    ++depth_;
    for (; times >= 0 && !good && !placer_.budget().ended; --times) good = take(s, k, have, times);
    --depth_;
  }
  if (!good && k == 0 && !placer_.budget().ended && failed_.size() < kMemory)
    failed_.insert(state(s));
  return good;
}

bool SiblingPacking::take(std::uint32_t s, std::uint32_t k, std::int64_t have, std::int64_t times) {
  Kind& kind = kinds_[k];
  const std::int64_t units = have + times * kind.size;
  const bool covered = units >= shares_[s].units;
  kind.left -= times;
  if (times > 0) choices_.push_back({s, k, times});
  if (covered) wanted_ -= shares_[s].units;
  if (covered ? cover(s + 1, 0, 0) : cover(s, k + 1, units)) return true;
  if (covered) wanted_ += shares_[s].units;
  if (times > 0) choices_.pop_back();
  kind.left += times;
  return false;
}

std::vector<std::int64_t> SiblingPacking::state(std::uint32_t s) const {
  std::vector<std::int64_t> out{s};
  for (const Kind& k : kinds_) out.push_back(k.left);
  return out;
}

}  // namespace copse
