// SPDX-License-Identifier: Apache-2.0
//
// DepthSearch: tries every combination of pools in disjoint subtrees, in order, for demands whose
// pools may be at several depths. Exponential at worst; each step counts as a visit.
#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "match/loop_aware/disjoint_subtrees.hpp"
#include "match/loop_aware/list_placer.hpp"

namespace copse {

class DepthSearch {
 public:
  DepthSearch(ListPlacer& placer, const ListAt& list)
      : placer_(placer), list_(list), taken_(placer.graph()) {}

  bool place(const std::vector<Demand>& demands, bool record);

 private:
  static constexpr std::uint32_t kNone = Demand::kNone;
  struct Step {
    std::uint32_t level;
    std::uint32_t slot;  // kNone, or the level of the slot that it is in
    std::uint32_t copy;
    std::uint32_t place;  // the step that picks where its slot is formed; kNone: at the pool of the
                          // list
    std::uint32_t before;  // the same step of the previous copy; kNone
  };

  bool add_steps(const Demand& d);
  const std::vector<PoolId>& candidates(const Step& step);
  [[nodiscard]] PoolId place_of(const Step& step) const;
  bool go(std::uint32_t n, std::uint32_t from, std::int64_t have);
  bool pick(std::uint32_t n);
  bool choose(std::uint32_t n, std::uint32_t from, std::int64_t have);

  ListPlacer& placer_;
  const ListAt& list_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> picked_, first_;            // by step: its place, its first candidate
  std::map<std::uint32_t, std::vector<PoolId>> places_;  // by slot
  std::unordered_map<std::uint64_t, std::vector<PoolId>> candidates_;
  DisjointSubtrees taken_;
  std::vector<std::pair<std::uint32_t, PoolId>> chosen_;  // step, pool
  std::uint32_t depth_ = 0;
};

}  // namespace copse
