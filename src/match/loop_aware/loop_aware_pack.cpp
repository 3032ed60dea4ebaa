// SPDX-License-Identifier: Apache-2.0
//
// Pools of unequal sizes for several shares: bin covering, which is hard in general. What makes it
// easy in practice: pools of one size that serve the same siblings cannot be told apart, so that
// only the number taken of each such kind matters; sizes beyond the largest share count as that;
// and what was left when the rest could not be covered need not be tried again.
//
// Cost: a look at each candidate for each sibling; then at worst exponential in the shares, each
// step a look; memory: up to kMemory states of 8 bytes a kind.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "match/loop_aware/loop_aware.hpp"

namespace copse {

class LoopAware::Packing {
 public:
  Packing(LoopAware& walk, const List& list, const std::vector<Demand>& demands)
      : walk_(walk), list_(list), demands_(demands) {}

  bool run(const Source& source) {
    if (!make_shares(source.count)) return false;
    sort_into_kinds(source);
    if (walk_.ended_) return false;
    for (const Share& share : shares_) {
      // Beyond what any machine has; sums of two such numbers stay in range.
      if (share.units > INT64_MAX / 4 || __builtin_add_overflow(wanted_, share.units, &wanted_)) {
        return false;
      }
    }
    return cover(0, 0, 0);
  }

  void note() {
    for (const Choice& choice : choices_) {
      Kind& kind = kinds_[choice.kind];
      const Share& share = shares_[choice.share];
      for (std::int64_t i = 0; i < choice.times; ++i) {
        walk_.note(list_, demands_[share.demand], kind.pools[kind.noted++], share.copy);
      }
    }
  }

 private:
  static constexpr std::size_t kMemory = 100'000;

  struct Share {
    std::uint32_t demand, copy;
    std::int64_t units;
  };
  struct Kind {
    std::int64_t size;
    std::string serves;  // by demand
    std::vector<PoolId> pools;
    std::int64_t left = 0;
    std::size_t noted = 0;
  };
  struct Choice {
    std::uint32_t share, kind;
    std::int64_t times;
  };

  // The largest shares first: they are the hardest to cover. Each takes a pool at least.
  bool make_shares(std::uint32_t pools) {
    for (std::uint32_t d = 0; d < demands_.size(); ++d) {
      const std::int64_t units = walk_.level(demands_[d].level).count.min;
      if (demands_[d].shares > static_cast<std::int64_t>(pools - shares_.size())) return false;
      for (std::uint32_t copy = 0; copy < demands_[d].shares; ++copy) {
        shares_.push_back({d, copy, units});
      }
    }
    std::stable_sort(shares_.begin(), shares_.end(),
                     [](const Share& a, const Share& b) { return a.units > b.units; });
    return true;
  }

  void sort_into_kinds(const Source& source) {
    // Every demand must see the same pools: what a list shows for one may hide those of another.
    Source all = source;
    std::map<std::pair<std::int64_t, std::string>, std::uint32_t> known;
    std::string serves(demands_.size(), '0');
    for (std::uint32_t i = 0; i < demands_.size(); ++i) {
      Cursor cursor;
      for (;;) {
        const PoolId v = walk_.next(all, demands_[i], cursor);
        if (v == kNoPool || walk_.ended_) break;
        if (!met_.insert(v.v).second) continue;
        bool any = false;
        for (std::uint32_t d = 0; d < demands_.size(); ++d) {
          const bool good = walk_.serves(list_, demands_[d], v);
          serves[d] = good ? '1' : '0';
          any |= good;
        }
        if (!any) continue;
        const std::int64_t size = std::min(walk_.graph_.size(v), shares_[0].units);
        const auto [at, fresh] =
            known.emplace(std::pair{size, serves}, static_cast<std::uint32_t>(kinds_.size()));
        if (fresh) kinds_.push_back({size, serves, {}});
        kinds_[at->second].pools.push_back(v);
        ++kinds_[at->second].left;
      }
    }
  }

  // Whether what is left, counted without regard to whom it serves, may cover the shares from s on.
  [[nodiscard]] bool enough() const {
    std::int64_t units = 0;
    for (const Kind& k : kinds_) {
      std::int64_t part = 0;
      if (__builtin_mul_overflow(k.left, k.size, &part) ||
          __builtin_add_overflow(units, part, &units)) {
        return true;
      }
    }
    return units >= wanted_;
  }

  // Covers share s, of which `have` units are there, from kind k on, and then those after it. The
  // depth is bounded by kDepthMax.
  bool cover(std::uint32_t s, std::uint32_t k, std::int64_t have) {
    if (s == shares_.size()) return true;
    if (depth_ >= kDepthMax) walk_.ended_ = true;
    if (!walk_.spend()) return false;
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
      for (; times >= 0 && !good && !walk_.ended_; --times) good = take(s, k, have, times);
      --depth_;
    }
    if (!good && k == 0 && !walk_.ended_ && failed_.size() < kMemory) failed_.insert(state(s));
    return good;
  }

  bool take(std::uint32_t s, std::uint32_t k, std::int64_t have, std::int64_t times) {
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

  [[nodiscard]] std::vector<std::int64_t> state(std::uint32_t s) const {
    std::vector<std::int64_t> out{s};
    for (const Kind& k : kinds_) out.push_back(k.left);
    return out;
  }

  LoopAware& walk_;
  const List& list_;
  const std::vector<Demand>& demands_;
  std::vector<Share> shares_;
  std::vector<Kind> kinds_;
  std::unordered_set<std::uint32_t> met_;
  std::vector<Choice> choices_;
  std::set<std::vector<std::int64_t>> failed_;
  std::int64_t wanted_ = 0;  // units of the shares that are not covered
  std::uint32_t depth_ = 0;
};

bool LoopAware::pack(const List& list, const std::vector<Demand>& demands, const Source& source,
                     bool record) {
  Packing packing(*this, list, demands);
  if (!packing.run(source)) return false;
  if (record) packing.note();
  return true;
}

}  // namespace copse
