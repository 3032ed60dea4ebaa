// SPDX-License-Identifier: Apache-2.0
//
// SiblingPacking: pools of unequal sizes for several shares: bin covering, which is hard in
// general. Three facts make it easy in practice: pools of one size that fit the same siblings are
// equivalent, so only the number of each such kind matters; sizes above the largest share count as
// that share; and remaining pools that could not cover the remaining shares need not be tried
// again.
//
// Cost: a visit of each candidate for each sibling; then at worst exponential in the shares, each
// step counts as a visit; memory: up to kMemory states of 8 bytes per kind.
#pragma once

#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "match/loop_aware/list_placer.hpp"

namespace copse {

class SiblingPacking {
 public:
  // All arguments must outlive it.
  SiblingPacking(ListPlacer& placer, const ListAt& list, const std::vector<Demand>& demands)
      : placer_(placer), list_(list), demands_(demands) {}

  bool place(const CandidateSources::Source& source, bool record);

 private:
  static constexpr std::size_t kMemory = 100'000;

  struct Share {
    std::uint32_t demand, copy;
    std::int64_t units;
  };
  struct Kind {
    std::int64_t size;
    std::string serves;  // by demand: whether it fits
    std::vector<PoolId> pools;
    std::int64_t left = 0;
    std::size_t noted = 0;
  };
  struct Choice {
    std::uint32_t share, kind;
    std::int64_t times;
  };

  bool make_shares(std::uint32_t pools);
  void sort_into_kinds(const CandidateSources::Source& source);
  [[nodiscard]] bool enough() const;
  bool cover(std::uint32_t s, std::uint32_t k, std::int64_t have);
  bool take(std::uint32_t s, std::uint32_t k, std::int64_t have, std::int64_t times);
  [[nodiscard]] std::vector<std::int64_t> state(std::uint32_t s) const;

  ListPlacer& placer_;
  const ListAt& list_;
  const std::vector<Demand>& demands_;
  std::vector<Share> shares_;
  std::vector<Kind> kinds_;
  std::unordered_set<std::uint32_t> met_;
  std::vector<Choice> choices_;
  std::set<std::vector<std::int64_t>> failed_;
  std::int64_t wanted_ = 0;  // units of the shares that are not covered
  std::uint32_t depth_ = 0;
};

}  // namespace copse
