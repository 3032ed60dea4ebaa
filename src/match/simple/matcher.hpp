// SPDX-License-Identifier: Apache-2.0
//
// Matcher: the one-pass walk. It finds what a request gets at one time; the engine decides at which
// times to ask and writes down what was found.
//
// The answer is that of Fluxion's exhaustive depth-first walk (boards of groups, whole groups in
// order of score), at the cost of the answer: candidates are visited in order of preference and the
// walk stops where nothing further can be chosen. What makes that safe:
//   * the score of a pool is known before it is visited; only that of a slot is not;
//   * children of a matched pool, and vertices of a wanted type at the top level, are visited best
//     first until the most that their count can ask for is covered;
//   * slots formed at different pools are compared by score: pools are visited in the order of a
//     bound on it, until no bound can beat the worst slot still needed;
//   * `locality` looks at every candidate of the top level; `first` explores in its own order and
//     stops by its own rule, which recorded sessions pin.
// Requests with alternatives need the exhaustive walk itself, which is Boards; of a request with
// variants the first wins that gets something.
// Numbers of what is free (candidate lists, rows, planners) may only exclude a candidate.
//
// Invariants: the matcher writes nothing but its arenas and caches; a failed select leaves no
// trace. Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "copse/graph.hpp"
#include "copse/policy.hpp"
#include "copse/selection.hpp"
#include "match/compile/compiled.hpp"
#include "match/exhaustive/board_items.hpp"
#include "match/exhaustive/boards.hpp"
#include "match/shared/finish.hpp"
#include "match/shared/openings.hpp"
#include "match/shared/probe.hpp"
#include "match/shared/scores.hpp"
#include "state/exploration.hpp"
#include "state/state.hpp"

namespace copse {

class Matcher {
 public:
  Matcher(const ResourceGraph& graph, State& state, const Policy& policy,
          const PruneFilters& filters, bool exhaustive = false);
  // The same for copies of graph, state and filters: scores and the exploration order are shared,
  // lists and frontiers made anew when they are asked for. O(layouts).
  Matcher(const ResourceGraph& graph, State& state, const PruneFilters& filters,
          const Matcher& other);

  // Finds what the request gets over [start, end). False if nothing: `out` is then empty.
  // REQUIRES that the request was compiled against this graph and is not impossible.
  [[nodiscard]] bool select(const CompiledRequest& request, View view, std::int64_t start,
                            std::int64_t end, Selection& out);

  // As Boards::may_select, of a select that found nothing where pools have several parents: whether
  // visits in another order might find something. Over the same time, with what was set for it.
  [[nodiscard]] bool may_select(const CompiledRequest& request);

  // Pools that the openings show closed, at the time they were asked for last, are not visited by
  // the next selects; nullptr: all are.
  void skip_closed(const Openings* openings) { openings_ = openings; }

  // What the supply offers for the next selects; nullptr: no hierarchical resources are asked for.
  // `taking`: nodes are taken from it as they are found, unless the policy compares more of them
  // than it needs. Else nodes are only asked whether they are eligible.
  void set_offer(Offer* offer, bool taking) {
    probe_.offer = offer;
    taking_ = taking && !policy_.by_runs && !policy_.slots_reversed;
  }
  // The same for what pools draw along auxiliary subsystems.
  void set_channels(ChannelOffer* offer, bool taking) {
    probe_.channels = offer;
    drawing_ = taking && !policy_.by_runs && !policy_.slots_reversed;
  }
  // Pools chosen by the last select that draw something, in the order in which they were chosen.
  [[nodiscard]] const DrawnPools& drawn() const { return drawn_; }
  // The pools of a level's type that could be chosen for it by themselves, in order of preference.
  // `inside`: in a slot. O(pools).
  void candidates(const CompiledRequest& request, std::uint32_t level, bool inside, View view,
                  std::int64_t start, std::int64_t end, std::vector<PoolId>& out);
  // Puts pools in the policy's order of preference, as far as it is one of pools.
  void sort_by_preference(std::vector<PoolId>& pools) const;

  // Whether, for each level of the request, some pool of the machine is large enough to be what it
  // asks for, by the totals of its shape. O(layouts), whatever the number of pools.
  [[nodiscard]] bool some_shape_has(const CompiledRequest& request) const;

  // After a match, committed or not: moves the exploration order of `first`.
  void explored(const Selection& selection, bool recorded);

  // After the graph changed, the state with it: caches take up what came. What went stays in them,
  // never open, until they are made anew. O(what came × log n).
  void attached(const GraphChange& change);
  void removed(const GraphChange& change) { exploration_.removed(change.parent); }
  [[nodiscard]] Ways& ways() { return ways_; }
  [[nodiscard]] Exploration& exploration() { return exploration_; }
  [[nodiscard]] const Exploration& exploration() const { return exploration_; }

  // Pools visited by the last select.
  [[nodiscard]] std::uint64_t visits() const { return visits_; }
  // Sentences about conflicts met by the last select, each once.
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  using Item = BoardItem;
  using Marks = BoardMarks;
  // Something on a board: one pool, or a slot of several.
  struct Group {
    Score score;
    std::int64_t size;
    std::uint32_t first, count;  // its items
    std::uint32_t want;          // the level it was found for
    std::uint32_t place;         // order of discovery: the pool where it was found
  };
  // Where a type of the top level is looked for.
  struct Frontier {
    std::vector<PoolId> pools;    // in order of preference; for locality: of discovery
    WatchedList* list = nullptr;  // the same, if they are many and interior
    PoolId one_parent = kNoPool;  // the list is that of this parent's children
  };

  bool select_one(const CompiledRequest& request, Selection& out);

  [[nodiscard]] Marks marks() const {
    const std::size_t taken = probe_.offer == nullptr ? 0 : probe_.offer->mark();
    const std::size_t drawn = probe_.channels == nullptr ? 0 : probe_.channels->mark();
    return {groups_.size(), items_.size(), chosen_.size(), taken, drawn};
  }
  void rewind(const Marks& m);

  // --- visit.cpp: one pool
  bool take_supply(PoolId u, const Level& level, bool exclusive);
  bool draw(PoolId u, std::uint32_t level_number, const Level& level);
  bool visit(PoolId u, std::uint32_t level, bool exclusive, Score term, Item& item);
  bool choose_below(PoolId u, const Level& level, bool exclusive, Score term, Item& item);
  bool choose(std::uint32_t level, std::size_t first, std::size_t last);
  void push_group(PoolId u, std::uint32_t level, Score term, const Item& item);

  // --- gather.cpp: candidates among the children of a pool, onto groups_
  struct Shares {               // how much of a count has been found
    std::int64_t most, wanted;  // units of a share; shares to find
    std::int64_t units = 0, found = 0;
    bool add(std::int64_t size);  // true if all shares are found
  };
  void gather(PoolId u, std::uint32_t level, bool exclusive, Score term, std::int64_t shares);
  bool gather_one(PoolId v, std::uint32_t level, bool exclusive, Score term, Shares& shares);
  bool gather_run(PoolId parent, PoolId first, std::uint32_t count, bool backward,
                  std::uint32_t level, Score term, std::int64_t most);
  bool gather_leaves(PoolId first, std::uint32_t count, bool backward, std::uint32_t level,
                     bool exclusive, Score term, Shares& shares);
  bool gather_open(PoolId u, const ChildRun& run, std::uint32_t level, bool exclusive, Score term,
                   Shares& shares);
  void gather_list(WatchedList& list, std::uint32_t level, bool exclusive, Score term,
                   Shares& shares, PoolId below);
  void gather_mixed(PoolId u, std::uint32_t level, bool exclusive, Score term, Shares& shares);
  WatchedList& child_list(PoolId u, TypeId type);
  void list_needs(WatchedList& list, const Level& level, bool exclusive);
  void sort_groups(std::size_t first, std::size_t last);
  void sort_reversed(std::size_t first, std::size_t last);

  // --- slots.cpp
  void form_slots(PoolId u, std::uint32_t slot, Score term, std::int64_t wanted);
  bool fill_share(std::size_t& at, std::size_t end, std::int64_t units);
  void slots_at(PoolId u, std::uint32_t slot, Score term, bool all);
  void gather_slots(PoolId u, std::uint32_t slot, bool exclusive, Score term);
  void gather_slots_below(PoolId u, std::uint32_t slot, Score term);
  [[nodiscard]] std::int64_t slots_wanted(PoolId u, const Level& slot, bool all) const;

  // --- first.cpp: the exploration of `first` where levels are passed through
  void explore(PoolId u, std::uint32_t first, std::uint32_t count, bool exclusive, Score term);
  void explore_pool(PoolId v, std::uint32_t first, std::uint32_t count, bool exclusive, Score term);
  bool explore_child(PoolId v, std::uint32_t first, std::uint32_t count, bool exclusive, Score term,
                     std::size_t shares);
  void explore_list(PoolId u, std::uint32_t first, std::uint32_t count, bool exclusive, Score term,
                    std::size_t shares);

  // --- top.cpp: the top level
  bool choose_top();
  void gather_top(std::uint32_t level);
  void gather_top_slots(std::uint32_t slot);
  [[nodiscard]] Score enclosing_term(PoolId u) const;
  const Frontier& frontier(std::uint32_t level);
  const std::vector<CompiledRequest::SlotPlace>& slot_places(std::uint32_t slot);
  [[nodiscard]] Score slot_bound(PoolId u, const Level& slot) const;
  void forget_orders();
  void note_layouts(PoolId top, PoolId parent);
  bool add_to_frontier(const std::vector<std::uint32_t>& key, Frontier& places, PoolId top);
  [[nodiscard]] Score top_score(PoolId p) const { return scores_.own(p) + enclosing_term(p); }

  void collect(const Item& item);  // onto picked_

  const ResourceGraph& graph_;
  State& state_;
  const Policy policy_;
  Scores scores_;
  Exploration exploration_;
  const bool exhaustive_;  // Boards for every request

  // The select under way
  Ways ways_;
  Probe probe_;
  Boards boards_;
  const Openings* openings_ = nullptr;
  bool taking_ = false;   // nodes from the probe's offer
  bool drawing_ = false;  // the same along auxiliary subsystems
  std::uint64_t visits_ = 0;
  std::vector<std::string> remarks_;

  // Arenas: groups_ and items_ are stacks, chosen_ grows until a visit fails
  std::vector<Group> groups_;
  std::vector<Item> items_, chosen_;
  std::vector<PoolId> pools_;               // stack of sorted child lists
  std::vector<CandidateList::Need> needs_;  // stack of needs of list searches
  std::vector<Group> slot_groups_;
  std::vector<Item> slot_items_;
  std::vector<std::size_t> shares_;
  Picked picked_;
  DrawnPools drawn_;
  std::vector<Shares> explored_;  // stack of shares of `first`

  // Pools of one type and shape: there are few, however many the pools.
  struct Layout {
    TypeId type;
    std::uint32_t shape;
    auto operator<=>(const Layout&) const = default;
  };
  std::vector<Layout> layouts_;

  // Caches
  std::unordered_map<std::uint64_t, WatchedList*> child_lists_;  // by parent and type
  std::map<std::vector<std::uint32_t>, Frontier> frontiers_;
  std::uint64_t properties_version_ = 0;
};

}  // namespace copse
