// SPDX-License-Identifier: Apache-2.0
//
// SiblingMatching: siblings that compete for pools of one type and size. Each takes what is free
// and serves it; one that finds nothing takes a pool of another that can do with a further one, and
// so on: shortest augmenting paths, over siblings rather than pools, as there are few of them.
//
// Cost: a visit of each candidate for each sibling, and for each path one at what the others have.
#pragma once

#include <unordered_set>
#include <vector>

#include "match/loop_aware/list_placer.hpp"

namespace copse {

class SiblingMatching {
 public:
  // All must outlive it; `sources` has one for each demand.
  SiblingMatching(ListPlacer& placer, const ListAt& list, const std::vector<Demand>& demands,
                  const std::vector<CandidateSources::Source>& sources)
      : placer_(placer),
        list_(list),
        demands_(demands),
        sources_(sources),
        sides_(demands.size()) {}

  // Places the demands, of pools of this size. REQUIRES size > 0.
  bool place(std::int64_t size, bool record);

 private:
  struct Side {
    std::int64_t each = 0, wanted = 0;  // pools of a share, and of all shares
    std::vector<PoolId> taken;
    // Nothing before the cursor is of use: it does not serve, or belongs to somebody permanently.
    CandidateSources::Cursor cursor;
    // On a path: who asked, and for which pool of this side.
    bool met = false;
    std::uint32_t requester = 0;
    PoolId requested = kNoPool;
  };

  bool match(std::int64_t size);
  [[nodiscard]] std::vector<std::uint32_t> hardest_first() const;
  PoolId free_pool(std::uint32_t d);
  bool can_have(std::uint32_t d, PoolId v);
  void hand_on(std::uint32_t d, PoolId v);
  bool augment(std::uint32_t start);

  ListPlacer& placer_;
  const ListAt& list_;
  const std::vector<Demand>& demands_;
  const std::vector<CandidateSources::Source>& sources_;
  std::vector<Side> sides_;
  std::unordered_set<std::uint32_t> owned_;
};

}  // namespace copse
