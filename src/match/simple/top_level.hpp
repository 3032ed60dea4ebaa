// SPDX-License-Identifier: Apache-2.0
//
// TopLevel: searches for the pools of the top level anywhere, because a request may omit the levels
// above.
//
// Size: for each set of top-level types requested, the pools of one of them in order, or a list of
// candidates.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "match/simple/simple_walk.hpp"
#include "match/simple/top_slot_places.hpp"

namespace copse {

class CandidateVisitor;
class ChildSearch;
class PassThrough;
class SlotFormer;

class TopLevel {
 public:
  TopLevel(SimpleWalk& walk, CandidateVisitor& visitor, ChildSearch& children, SlotFormer& slots,
           PassThrough& passing)
      : walk_(walk),
        visitor_(visitor),
        children_(children),
        slots_(slots),
        passing_(passing),
        places_(walk) {}

  // Chooses pools for the request; false if there are not enough. The items chosen at the top are
  // the last of the arena's chosen items, from `first` on.
  bool choose(std::size_t& first);

  void forget_orders() { frontiers_.clear(); }  // after WatchedLists::clear
  void attached(PoolId top);

 private:
  // The pools of a top-level type that are not below another pool of a top-level type.
  struct Frontier {
    std::vector<PoolId> pools;    // in order of preference; for locality in order of discovery
    WatchedList* list = nullptr;  // the same, if they are many and interior
    PoolId one_parent = kNoPool;  // the list is that of this parent's children
  };
  // The types of the top level, ascending; then the type that is searched for.
  using Key = std::vector<std::uint32_t>;

  void gather(std::uint32_t level);
  bool gather_chosen(std::uint32_t level);
  void gather_first(std::uint32_t level, std::size_t begin);
  void gather_slots(std::uint32_t slot);
  bool gather_best_slot(std::uint32_t slot);
  const Frontier& frontier(std::uint32_t level);
  [[nodiscard]] Frontier make_frontier(const Key& key);
  bool add_to_frontier(const Key& key, Frontier& places, PoolId top);

  SimpleWalk& walk_;
  CandidateVisitor& visitor_;
  ChildSearch& children_;
  SlotFormer& slots_;
  PassThrough& passing_;
  TopSlotPlaces places_;
  std::map<Key, Frontier> frontiers_;
  std::vector<std::size_t> ends_;  // by level: where its groups end
};

}  // namespace copse
