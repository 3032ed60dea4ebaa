// SPDX-License-Identifier: Apache-2.0
//
// SiblingMatching: bipartite matching of siblings that compete for pools of one type and size. Each
// takes free pools that fit; a sibling that finds none takes a pool of another one, which can take
// a further pool, and so on: shortest augmenting paths, over siblings rather than pools, as there
// are few siblings.
//
// Cost: a visit of each candidate for each sibling, and for each path one of the pools of the
// others.
#pragma once

#include <unordered_set>
#include <vector>

#include "match/loop_aware/list_placer.hpp"

namespace copse {

class SiblingMatching {
 public:
  // All arguments must outlive it; `sources` has one for each demand.
  SiblingMatching(ListPlacer& placer, const ListAt& list, const std::vector<Demand>& demands,
                  const std::vector<CandidateSources::Source>& sources)
      : placer_(placer),
        list_(list),
        demands_(demands),
        sources_(sources),
        sides_(demands.size()) {}

  // Places the demands with pools of this size. REQUIRES size > 0.
  bool place(std::int64_t size, bool record);

 private:
  struct Side {
    std::int64_t each = 0, wanted = 0;  // pools per share, and of all shares
    std::vector<PoolId> taken;
    // Pools before the cursor do not fit, or are assigned permanently.
    CandidateSources::Cursor cursor;
    // On a path: the requesting side, and which pool of this side it requests.
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
