// SPDX-License-Identifier: Apache-2.0
//
// TopSlotPlaces: the pools where a slot of the top level can be formed, best bound on its score
// first. They are kept with the request (LearnedPlaces), and updated when the graph changes.
//
// Bounds are those of an empty machine. If a slot lists leaves of one type, better_at() uses those
// that are free, and may_be_better() does so for blocks of places: it caches the best score of each
// block until something in it changes. So places whose best leaves are taken are skipped, 64 at a
// time, and best_of_all() finds the place of a single slot.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "match/simple/simple_walk.hpp"

namespace copse {

class TopSlotPlaces {
 public:
  using Place = LearnedPlaces::SlotPlace;
  using Places = std::vector<Place>;

  explicit TopSlotPlaces(const SimpleWalk& walk) : walk_(walk) {}

  // The order of slots: by score; equal scores in the order of the graph.
  struct Rank {
    Score score;
    PoolId pool;
  };
  [[nodiscard]] bool before(const Rank& a, const Rank& b) const {
    if (a.score != b.score) return walk_.scores.better(a.score, b.score);
    return a.pool != b.pool && walk_.graph.before(a.pool, b.pool);
  }
  // The largest number of slots at u that can come before `worst`; Count::kUnlimited if the leaves
  // do not tell. O(that number + leaves in use / 64).
  [[nodiscard]] std::int64_t better_at(PoolId u, const Level& slot, const Rank& worst) const;
  // Whether a slot at some of the places [k, k + kBlock) can come before `worst`. REQUIRES that k
  // is a multiple of kBlock, and of() for this slot before. O(1), or O(kBlock) after a change.
  static constexpr std::size_t kBlock = 64;
  [[nodiscard]] bool may_be_better(std::size_t k, const Level& slot, const Rank& worst) const;
  // A bound on the best slot, and its place; nullopt: not all relevant blocks are known. REQUIRES
  // of() for this slot before. O(places / kBlock), and O(kBlock) per changed block.
  [[nodiscard]] std::optional<Rank> best_of_all(const Level& slot) const;
  // The places above or below the nodes to which the walk is restricted, best bound first. O(nodes ×
  // (depth + log nodes)).
  [[nodiscard]] Places of_nodes(const ChosenNodes& nodes, std::uint32_t slot) const;
  // The places of a slot. O(pools) the first time, then O(changes).
  [[nodiscard]] const Places& of(std::uint32_t slot) const;

 private:
  [[nodiscard]] Places make(const Level& slot) const;
  // Apply a change of the graph; false: the places must be rebuilt.
  [[nodiscard]] bool follow(const GraphChange& change, const Level& slot, Places& places) const;
  [[nodiscard]] bool follow_removed(PoolId parent, const Level& slot, const Places& places) const;
  template <class Add>
  void each_below(PoolId top, const Level& slot, Add add) const;
  [[nodiscard]] Score bound(PoolId u, const Level& slot) const;
  // The leaves of u for slots, in the order in which they are taken.
  struct Leaves {
    PoolId first, end;
    bool backward;
    std::int64_t each;  // of a slot
    Score term;         // of their scores
  };
  [[nodiscard]] std::optional<Leaves> leaves_of(PoolId u, const Level& slot) const;
  // Takes the next leaf that is free now or, for later times, the next leaf.
  [[nodiscard]] PoolId take_next(Leaves& leaves) const;
  // The best score of a slot whose first leaf is this; nullopt: overflow.
  [[nodiscard]] std::optional<Score> best_score(const Leaves& leaves, PoolId leaf) const;
  // The facts about the block [k, k + kBlock) of places, recomputed after changes; nullptr: none
  // can be known.
  [[nodiscard]] const LearnedPlaces::Block* known(std::size_t k, const Level& slot) const;
  void learn(LearnedPlaces::Block& block, std::span<const Place> places, const Level& slot) const;
  [[nodiscard]] std::uint64_t stamp_of(std::span<const Place> places) const;
  // Inserts a pool in order, unless it is contained.
  void insert(Places& places, PoolId pool, const Level& slot) const;

  const SimpleWalk& walk_;
};

}  // namespace copse
