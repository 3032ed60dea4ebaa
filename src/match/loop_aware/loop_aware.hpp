// SPDX-License-Identifier: Apache-2.0
//
// LoopAware: the walk that goes over a subtree more than once. It serves requests whose siblings
// want the same pools, which a one-pass walk must refuse, by searching for pools that all of them
// can have together.
//
// A request is placed at a time if every list of it is: the top level, and below each chosen pool
// the `with` of what it was chosen for. A list is placed at a pool u by choosing pools for each of
// its vertices such that
//   * a vertex has children of u of its type (at the top level any pools with an open way to the
//     root) whose sizes sum to at least the minimum of its count; each is usable, free as the
//     request demands, of a score above 0, and has its own list placed below it;
//   * a slot is formed as often as the minimum of its count: at u, if u has children of all types
//     that the slot lists, else at the highest pools below u that have. Its contents are children
//     of the pool where it is formed, and exclusive, as is everything below an exclusive pool;
//   * all pools chosen for one list differ, and none lies below another.
// So what is chosen for one list lies in disjoint subtrees, and whether a pool serves a vertex does
// not depend on what its siblings got: it is found out once, and for pools that nothing uses once
// for all that look the same. Counts that may grow then do, list by list from the top, in the
// policy's order, to the largest number of the range that what is left allows; all slots of one
// vertex grow alike.
//
// How a list is placed:
//   * vertices of different types that cannot lie one below the other are placed apart;
//   * siblings of one type whose pools have equal sizes are a matching: augmenting paths, exact,
//     O(pools + chosen · siblings) looks at pools;
//   * pools of unequal sizes are packed kind by kind (equal size, serving the same siblings), with
//     a memory of what failed (loop_aware_pack.cpp);
//   * slots formed at several depths beside siblings, and top levels whose types nest, are tried
//     in all ways (loop_aware_depths.cpp).
// The last two take exponential time at worst. Every look at a pool counts against a budget, so
// that a select ends, and ends at the same answer every time. When the budget is used up the answer
// is `ended`: it is not known whether there is a selection.
//
// Policies: pools are tried in the policy's order (`first`: the youngest first), and the first
// placing that works is taken; no placing is preferred for its score as a whole.
//
// Sketch: 4 bytes an interior pool; 16 bytes and a bucket for each (pool, vertex) that was looked
// into; 24 bytes a pool chosen. Select, unit sizes, no nesting: O(pools of the types asked for)
// looks. Invariants: writes nothing but its own memory (and lists that show what is free). Thread
// safety: none.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "match/shared/finish.hpp"
#include "match/shared/probe.hpp"

namespace copse {

class LoopAware {
 public:
  enum class Found : std::uint8_t { yes, no, ended };

  LoopAware(const ResourceGraph& graph, State& state, const Policy& policy);

  // Whether a search may find what a one-pass walk does not. O(vertices of the request).
  [[nodiscard]] bool may_help(const CompiledRequest& request) const;

  // As Matcher::select, at the cost of at most `pools_max` looks at pools to find a placing, and
  // twice as many again to let its counts grow and to write it down.
  [[nodiscard]] Found select(const CompiledRequest& request, View view, std::int64_t start,
                             std::int64_t end, std::uint64_t pools_max, Selection& out);
  // As Matcher::set_offer; nodes are only asked whether they are eligible.
  void set_offer(Offer* offer) { probe_.offer = offer; }
  // As Matcher::set_channels; pools are only asked whether they are eligible.
  void set_channels(ChannelOffer* offer) { probe_.channels = offer; }
  [[nodiscard]] const DrawnPools& drawn() const { return drawn_; }  // as Matcher::drawn
  // Looks at pools of the last select.
  [[nodiscard]] std::uint64_t visits() const { return visits_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::uint32_t kDepthMax = 10'000;  // frames of a search; more: `ended`
  static constexpr std::uint32_t kFew = 64;           // children above it are kept as a list

  // A list of the request, to be placed at a pool; kNoPool: the top level.
  struct List {
    PoolId at;
    std::uint32_t first, count;  // levels
    Score term;                  // of what is directly below `at`
  };
  // Candidates of one type, in order of preference.
  struct Source {
    WatchedList* list = nullptr;
    const std::vector<PoolId>* kept = nullptr;  // if neither: pools_[first, first + count)
    std::uint32_t first = 0, count = 0;
    std::int64_t size = -1;  // of each of them; -1 if they differ
  };
  struct Cursor {
    CandidateList::Position at;
    std::uint32_t next = 0;
  };
  // `shares` sets of pools of a level's type, each of at least its count's minimum of units; or, if
  // the level is a slot, so many slots somewhere below.
  struct Demand {
    std::uint32_t level;
    std::uint32_t slot;  // the level of the slot that it is in; kNone
    std::int64_t shares;
    const std::vector<PoolId>* among = nullptr;   // the only candidates, in order of preference
    const std::vector<PoolId>* places = nullptr;  // the parents of those, ascending
  };
  struct Placed {
    PoolId pool;
    std::uint32_t level, slot;
    PoolId at;           // whose child it is, kNoPool: anywhere
    std::uint32_t copy;  // number of its slot
    Score term;
  };
  // What the types of the graph are like.
  struct TypeFacts {
    std::int64_t size = 0;  // of all its pools; -1 if they differ
    std::vector<PoolId> pools;
    WatchedList* list = nullptr;
    bool listed = false;
  };

  // --- loop_aware.cpp: the request, and one pool
  void begin(const CompiledRequest& request);
  void forget_orders();
  bool spend() {
    ended_ |= visits_ >= pools_max_;
    visits_ += ended_ ? 0u : 1u;
    return !ended_;
  }
  [[nodiscard]] const Level& level(std::uint32_t n) const { return probe_.request->levels[n]; }
  [[nodiscard]] bool fits(PoolId v, std::uint32_t level, Score term);
  [[nodiscard]] bool serves(const List& list, const Demand& demand, PoolId v);
  [[nodiscard]] Score enclosing_term(PoolId u) const;
  [[nodiscard]] Score term_at(const List& list, PoolId v) const {
    return list.at != kNoPool && graph_.parent(v) == list.at ? list.term : enclosing_term(v);
  }
  void place_all();

  // --- loop_aware_alike.cpp: pools that look the same with all that is below them
  void sort_alike();
  [[nodiscard]] bool like_new(PoolId v) const;

  // --- loop_aware_list.cpp: one list
  bool place(const List& list, bool record);
  bool demand(const List& list, bool& deep);
  bool by_type(const List& list, std::size_t base, bool record);
  bool one(const List& list, const Demand& demand, bool record);
  bool together(const List& list, const std::vector<Demand>& demands, bool record);
  void note(const List& list, const Demand& demand, PoolId pool, std::uint32_t copy);

  // --- loop_aware_match.cpp: pools of equal sizes
  class Matching;
  bool match(const List& list, const std::vector<Demand>& demands,
             const std::vector<Source>& sources, std::int64_t size, bool record);
  // --- loop_aware_pack.cpp: pools of unequal sizes
  class Packing;
  bool pack(const List& list, const std::vector<Demand>& demands, const Source& source,
            bool record);
  // --- loop_aware_depths.cpp: slots below, and pools at several depths
  class Depths;
  bool deep(const List& list, std::size_t base, bool record);
  bool component(const List& list, std::vector<Demand> demands, bool record);
  bool slot_of_one_pool(const List& list, Demand& demand, std::deque<std::vector<PoolId>>& made);
  bool slots_below(const List& list, const Demand& demand, bool record);
  std::int64_t slots_at(PoolId place, std::uint32_t slot, std::int64_t most);
  bool slots_at(PoolId place, std::uint32_t slot, std::int64_t count, std::uint32_t copy,
                bool record);
  std::vector<PoolId> places_below(PoolId u, std::uint32_t slot);
  // --- loop_aware_grow.cpp: counts that may grow
  class Growth;
  void grow(const List& list, std::size_t first);

  // --- loop_aware_sources.cpp: candidates
  [[nodiscard]] Source source(const List& list, const Demand& demand);
  [[nodiscard]] Source children(PoolId u, TypeId type);
  [[nodiscard]] Source anywhere(TypeId type);
  [[nodiscard]] Source kept(const std::vector<PoolId>& pools) const;
  [[nodiscard]] PoolId next(const Source& source, const Demand& demand, Cursor& cursor);
  void sort(std::vector<PoolId>& pools, std::size_t first, bool with_terms) const;
  [[nodiscard]] bool nests(TypeId above, TypeId below) const {
    return nests_.contains(std::uint32_t{above.v} << 16 | below.v);
  }

  const ResourceGraph& graph_;
  State& state_;
  const Policy& policy_;
  Scores scores_;
  Probe probe_;
  std::uint64_t properties_version_ = 0;

  std::unordered_set<std::uint32_t> nests_;  // type above, type below
  std::vector<TypeFacts> types_;
  std::unordered_map<std::uint64_t, WatchedList*> child_lists_;
  std::unordered_map<std::uint64_t, std::vector<PoolId>> child_orders_;

  // By interior pool: equal numbers look the same. Made when first needed; empty: nothing is known.
  std::vector<std::uint32_t> alike_;
  bool alike_made_ = false;

  // The select under way
  std::uint64_t visits_ = 0, pools_max_ = 0, growth_max_ = 0;
  bool ended_ = false;
  std::vector<bool> exclusive_;                        // by level: inside a slot or below what is
  std::unordered_map<std::uint64_t, bool> alike_fit_;  // by number of alike_ and level
  std::unordered_map<std::uint64_t, bool> fits_;       // by pool and level, if it has a list
  std::vector<PoolId> pools_;                          // stack of candidates
  std::vector<Demand> demands_;                        // stack
  std::vector<Placed> placed_;
  Picked picked_;
  DrawnPools drawn_;
};

}  // namespace copse
