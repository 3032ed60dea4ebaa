// SPDX-License-Identifier: Apache-2.0
//
// ListPlacer: places lists of a request: chooses pools for all vertices of one `with`, or of the
// top level, below one pool. LoopAwareTraverser has the definition.
//
//   * Vertices of different types that cannot be below each other are placed separately.
//   * A vertex without competitors takes the first pools that fit.
//   * Siblings of one type are a matching if pools have equal sizes (SiblingMatching), else they
//     are packed (SiblingPacking).
//   * Slots formed below, and pools at several depths: NestedDemands.
//
// Whether a pool fits a vertex does not depend on the pools of its siblings. So it is computed
// once, and for unused pools once per SubtreeClass.
//
// Size: 16 bytes and a bucket for each (pool, vertex) that was checked; 24 bytes per pool chosen.
// Thread safety: none.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "copse/graph.hpp"
#include "copse/policy.hpp"
#include "match/loop_aware/candidate_sources.hpp"

namespace copse {

// SubtreeClasses: classes of interior pools with equal contents. Pools of one class are equivalent
// for every request, as long as nothing in them is used.
//
// Size: 4 bytes per interior pool. make: O(pools · log classes), once.
class SubtreeClasses {
 public:
  explicit SubtreeClasses(const ResourceGraph& graph) : graph_(graph) {}

  // Computes the classes, unless done already. A policy that may exclude one of two equal pools
  // gets none.
  void make(const Policy& policy);
  [[nodiscard]] bool any() const { return !classes_.empty(); }
  // The class of an interior pool. REQUIRES any().
  [[nodiscard]] std::uint32_t of(PoolId pool) const {
    assert(any());
    return classes_[graph_.interior(pool)];
  }

 private:
  const ResourceGraph& graph_;
  std::vector<std::uint32_t> classes_;  // by interior pool
  bool made_ = false;
};

// VisitBudget: a limit on visits of pools rather than on time, so that a search always ends with
// the same answer. Once it is exceeded, the search ends without a result.
struct VisitBudget {
  std::uint64_t visits = 0, most = 0;
  bool ended = false;

  // Counts a visit; false if none is left.
  bool spend() {
    ended |= visits >= most;
    visits += ended ? 0u : 1u;
    return !ended;
  }
};

// A list of the request, to be placed at a pool; kNoPool: the top level.
struct ListAt {
  PoolId at;
  std::uint32_t first, count;  // levels
  Score term;                  // term for the scores of pools directly below `at`
};

// `shares` sets of pools of a level's type, each of at least its count's minimum of units; or, if
// the level is a slot, this many slots somewhere below.
struct Demand {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t level;
  std::uint32_t slot;  // the level of the slot that it is in; kNone
  std::int64_t shares;
  const std::vector<PoolId>* among = nullptr;   // the only candidates, in order of preference
  const std::vector<PoolId>* places = nullptr;  // the parents of these, ascending
};

struct Placed {
  PoolId pool;
  std::uint32_t level, slot;
  PoolId at;           // its parent; kNoPool: anywhere
  std::uint32_t copy;  // number of its slot
  Score term;
  std::int64_t units;  // taken of a divisible pool, else its size
};

class ListPlacer {
 public:
  static constexpr std::uint32_t kDepthMax = 10'000;  // frames of a search; it stops beyond

  ListPlacer(const ResourceGraph& graph, State& state, const Policy& policy);

  // Sets the request, its time, and the limit of visits for a placement. Clears the placed pools.
  void begin(const CompiledRequest& request, StateView view, std::int64_t start, std::int64_t end,
             std::uint64_t visits_max);
  // Places a list. `record`: records the chosen pools; else only checks whether it can be placed. A
  // failure leaves no trace.
  bool place(const ListAt& list, bool record);

  // --- For classes that place parts of a list
  [[nodiscard]] const ResourceGraph& graph() const { return graph_; }
  [[nodiscard]] Eligibility& eligibility() { return eligibility_; }
  [[nodiscard]] const PoolTypes& types() const { return types_; }
  [[nodiscard]] CandidateSources& sources() { return sources_; }
  [[nodiscard]] VisitBudget& budget() { return budget_; }
  [[nodiscard]] std::vector<Placed>& placed() { return placed_; }
  [[nodiscard]] const Level& level(std::uint32_t n) const {
    return eligibility_.request->levels[n];
  }
  // Whether pools of a level are taken exclusively.
  [[nodiscard]] bool exclusive(std::uint32_t n) const { return exclusive_[n]; }
  // The candidates of a demand, and the next of them. See CandidateSources.
  [[nodiscard]] CandidateSources::Source source(PoolId at, const Demand& demand) {
    if (demand.among != nullptr) return sources_.of(*demand.among);
    return sources_.of_type(at, level(demand.level).type);
  }
  [[nodiscard]] PoolId next(const CandidateSources::Source& source, const Demand& demand,
                            CandidateSources::Cursor& cursor) {
    return sources_.next(source, level(demand.level), exclusive_[demand.level], cursor);
  }
  // Whether v, a candidate of a demand, fits.
  [[nodiscard]] bool serves(const ListAt& list, const Demand& demand, PoolId v);
  void note(const ListAt& list, const Demand& demand, PoolId pool, std::uint32_t copy) {
    note(list, demand, pool, copy, graph_.size(pool));
  }
  void note(const ListAt& list, const Demand& demand, PoolId pool, std::uint32_t copy,
            std::int64_t units);
  // The term for the scores of pools directly below u.
  [[nodiscard]] Score term_below(PoolId u) const {
    return eligibility_.term_below(u, sources_.enclosing_term(u));
  }
  // Places demands whose types cannot compete for the same pools.
  bool place_by_type(const ListAt& list, std::span<const Demand> demands, bool record);
  // Places a demand without competitors.
  bool place_one(const ListAt& list, const Demand& demand, bool record);
  // Places demands for one divisible type: it does not matter which demand has which units.
  bool place_units(const ListAt& list, std::span<const Demand> demands, bool record);

 private:
  void forget_orders();
  [[nodiscard]] bool fits(PoolId v, std::uint32_t level, Score term);
  [[nodiscard]] bool like_new(PoolId v) const;
  bool push_demands(const ListAt& list, bool& nested);
  bool by_type(const ListAt& list, std::size_t base, bool record);
  bool compete(const ListAt& list, const std::vector<Demand>& demands, bool record);
  [[nodiscard]] Score term_at(const ListAt& list, PoolId v) const {
    const bool child = list.at != kNoPool && graph_.parent(v) == list.at;
    return child ? list.term : sources_.enclosing_term(v);
  }

  const ResourceGraph& graph_;
  const State& state_;
  const Policy& policy_;
  Scores scores_;
  std::uint64_t properties_version_;
  MultiParentPaths paths_;
  Eligibility eligibility_;
  const PoolTypes types_;
  CandidateSources sources_;
  SubtreeClasses classes_;

  // The current request
  VisitBudget budget_;
  std::vector<bool> exclusive_;  // by level: in a slot, or below an exclusive level
  std::unordered_map<std::uint64_t, bool> class_fits_;  // by level and class
  std::unordered_map<std::uint64_t, bool> fits_;  // by level and pool, if the level has children
  std::vector<Demand> demands_;                   // stack
  std::vector<Placed> placed_;
};

}  // namespace copse
