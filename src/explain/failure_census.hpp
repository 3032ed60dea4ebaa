// SPDX-License-Identifier: Apache-2.0
//
// FailureCensus: counts, for each vertex of a request, all candidates by the reason that excludes
// them.
//
// A walk stops at the first suitable pools. The census counts all, and sums up what fits, without
// choosing. It uses the predicates of the walks (match/shared/eligibility.hpp). So it agrees with
// the simple walk, unless the choice matters: pools of unequal size in a slot.
//
// Invariants: it writes nothing but itself. A pool is visited at most once per level. Leaves of a
// pool are counted by the pool's row if that is exact (no reservations, none down), else one by
// one.
// Cost: O(candidates × (needs + kinds of children)) steps, with leaves one by one if the machine
// has reservations. 220 bytes per level, 8 bytes per candidate that is allocated or busy, 4 per
// candidate that is down. Recursion is as deep as the request.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/explain.hpp"
#include "copse/graph.hpp"
#include "copse/policy.hpp"
#include "match/compile/compiled.hpp"
#include "match/shared/eligibility.hpp"
#include "match/shared/scores.hpp"
#include "state/state.hpp"

namespace copse {

// Where the jobs are that exclude candidates.
struct Obstacle {
  enum class Scope : std::uint8_t {
    self,      // exclusive spans of the pool itself
    below,     // exclusive spans of any pool below it
    children,  // exclusive spans of its children of the level's type
  };
  PoolId pool;
  Scope scope;
  bool operator==(const Obstacle&) const = default;
};

struct VertexCensus {
  Candidates candidates;
  // Candidates that cannot be entered at all, whatever is below; and those of them that are closed
  // by themselves, not by a candidate of the level above.
  std::uint64_t closed = 0, closed_here = 0;
  std::int64_t most_has = 0;               // units (slots) under one parent, see Finding
  std::int64_t most_fits = 0;              // the same, of suitable units
  std::int64_t all_has = 0, all_fits = 0;  // of a part of a slot: the same at all places together
  std::vector<std::int64_t> below_has;     // by needs: the most below one candidate
  std::vector<Obstacle> obstacles;
  std::vector<PoolId> down;  // pools that are down and close candidates; no repetitions in a row
  PoolId sample = kNoPool;   // some candidate
  // A level directly in a slot: the largest number of slots for which it is enough under one parent
  // of the slot, and its units at all places there. (The others are of the current parent.)
  std::int64_t slots = 0, places_have = 0, places_fit = 0;
  std::int64_t slots_now = 0, have_now = 0, fit_now = 0;
  // A slot: the largest number of places under one parent, and the type of its places.
  std::uint64_t places = 0;
  TypeId place_type = kNoType;
  bool places_differ = false;
  // Of the last visited pool: neighbours are usually equal.
  const Shape* shape = nullptr;
  bool shape_has = true;  // whether it has enough for the needs, used or not
  const Shape* parent_shape = nullptr;
  std::int64_t parent_units = 0, parent_shares = 0;
};

class FailureCensus {
 public:
  // `empty`: assume a machine without jobs and faults, as for satisfiability. `reservations`:
  // whether some grant of the state starts after now.
  // REQUIRES that the request was compiled against this graph and is not impossible.
  FailureCensus(const ResourceGraph& graph, const State& state, const CompiledRequest& request,
                const Policy& policy, bool empty, bool reservations, std::int64_t start,
                std::int64_t end);

  void run();
  [[nodiscard]] const VertexCensus& level(std::uint32_t n) const { return levels_[n]; }

 private:
  // Why a pool may not be entered, and which pool (it or one above) is the reason.
  struct Gate {
    Rejection rejection = Rejection::none;
    PoolId by = kNoPool;
    bool above = false;  // a candidate of the level above
    [[nodiscard]] bool open() const { return rejection == Rejection::none; }
    [[nodiscard]] Gate for_below() const { return {rejection, by, true}; }
  };
  struct Amount {
    std::int64_t has = 0, fits = 0;
  };

  [[nodiscard]] Gate gate(PoolId u) const { return {eligibility_.rejection(u), u, false}; }
  // Whether the pools below u are enough for the needs of a level: in total, and free (computed
  // only if a job may enter u).
  struct Enough {
    bool in_all = true, free = true;
  };
  Enough weigh(PoolId u, std::uint32_t level, const Gate& gate);
  // The policy never chooses a pool that scores less than 1 (see policy.hpp).
  [[nodiscard]] bool chosen(PoolId u, Score term) const { return scores_.own(u) + term > 0; }
  [[nodiscard]] bool all_chosen(PoolId u, const ChildRun& run) const;
  void settle(std::uint32_t level, PoolId u, const Gate& gate, const Enough& enough, bool parts_fit,
              bool wanted);
  static void count(VertexCensus& census, Rejection rejection, std::uint64_t pools);
  static void note(VertexCensus& census, const Gate& gate);

  void top_pools(std::uint32_t level);
  std::int64_t candidate(PoolId u, std::uint32_t level, bool exclusive, const Gate& from);
  Amount children(PoolId u, std::uint32_t level, bool exclusive, const Gate& from);
  Amount leaves(PoolId u, const ChildRun& run, std::uint32_t level, const Gate& from);
  Amount slots(PoolId u, std::uint32_t slot, const Gate& from);
  Amount place(PoolId u, std::uint32_t slot, const Gate& from);
  [[nodiscard]] std::int64_t shares(PoolId u, std::uint32_t part, std::int64_t units) const;
  [[nodiscard]] std::int64_t shares_of_all(PoolId u, std::uint32_t part, std::int64_t units);

  const ResourceGraph& graph_;
  const State& state_;
  const CompiledRequest& request_;
  const Policy& policy_;
  const bool empty_, reservations_;
  const TypeId storage_;
  const Scores scores_;
  Eligibility eligibility_;
  std::vector<VertexCensus> levels_;
  std::vector<bool> some_down_;  // by type: whether some units are unusable
};

}  // namespace copse
