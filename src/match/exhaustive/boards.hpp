// SPDX-License-Identifier: Apache-2.0
//
// Boards: the walk that visits everything. Depth first, each pool reports to the one above it, as
// groups on a board, what it can give; a matched pool chooses from its board what it must have, and
// the root what the request wants. It is Fluxion's walk in its own order, so it can do what the
// Matcher cannot: slots that are alternatives, where what is formed at a pool depends on all that
// the pool has, and pools that can be reached in several ways, of which the first counts.
//
// A board is a range of groups_, in order of discovery: of each child what it passed up, then the
// child itself. A pool where slots are formed or something is chosen replaces its range by what
// came of it. Subtrees that cannot hold what is asked for, by their totals and by what is in use,
// are passed over; pools outside them are visited once each.
//
// Invariants: writes nothing but its arenas, and lists of the exploration; a failed select leaves
// no trace. Recursion is as deep as the graph, at most kDepthMax.
//
// Cost: O(pools that may hold something asked for), and sorting what each board holds of each type;
// 32 bytes a group, 20 an item. Nothing is allocated once the arenas are large enough.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "copse/policy.hpp"
#include "copse/selection.hpp"
#include "match/compile/compiled.hpp"
#include "match/exhaustive/board_items.hpp"
#include "match/exhaustive/or_slots.hpp"
#include "match/shared/finish.hpp"
#include "match/shared/probe.hpp"
#include "match/shared/scores.hpp"
#include "match/shared/ways.hpp"
#include "state/exploration.hpp"
#include "state/state.hpp"

namespace copse {

class Boards {
 public:
  static constexpr std::uint32_t kDepthMax = 1024;
  static constexpr std::uint64_t kRevisitsMax = 1'000'000;

  Boards(const Probe& probe, State& state, const Policy& policy, Exploration& exploration);

  // Finds what the probe's request gets. False if nothing: `out` is then empty. With several
  // parents that is no proof: a pool that was visited below one of them is not there for the other.
  [[nodiscard]] bool select(Selection& out);
  // Whether the request might get something if pools were visited in another order: a walk in which
  // each pool is there for all of its parents finds something, or is too long to be walked. Fixed
  // counts only. O(ways), at most kRevisitsMax.
  [[nodiscard]] bool may_select();

  [[nodiscard]] std::uint64_t visits() const { return visits_; }
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }
  // Pools chosen by the last select that draw something.
  [[nodiscard]] const DrawnPools& drawn() const { return drawn_; }

 private:
  using Item = BoardItem;
  using Marks = BoardMarks;
  // Something on a board: one pool, or a slot of several.
  struct Group {
    Score score;
    std::int64_t size;
    std::uint32_t first, count;  // its items
    TypeId type;
    bool chosen;
  };
  // When a pool with several parents is there for a further one.
  enum class Again : std::uint8_t {
    never,    // the first visit counts, as in the reference
    in_vain,  // if the visit before gave nothing
    always,   // so that units may be counted twice
  };
  // What is asked of a pool.
  struct Asked {
    std::uint32_t list;   // of the request
    bool pristine;        // nothing is matched above: any pool may be passed through
    bool slots_only;      // passed through below a match, on the way to a slot
    bool exclusive;       // what is found is taken exclusively
    Score term;           // on top of the scores
    std::uint32_t depth;  // edges to the root
    PoolId way;           // the parent it was reached through, if that is not the one in the tree
  };
  // Of a type that is looked for under `first`: how much has been found.
  struct Share {
    TypeId type;
    std::int64_t most;
    std::int64_t units, found;
  };

  [[nodiscard]] Marks marks() const { return {groups_.size(), items_.size(), chosen_.size()}; }
  void rewind(const Marks& m);
  [[nodiscard]] const Siblings& list(std::uint32_t number) const {
    return probe_.request->lists[number];
  }
  [[nodiscard]] const Level& level(std::uint32_t number) const {
    return probe_.request->levels[number];
  }

  // --- boards.cpp
  std::optional<std::size_t> walk(Again again);
  void visit(PoolId u, const Asked& asked);
  void visit_open(PoolId u, const Asked& asked);
  void enter(PoolId u, const Asked& asked);
  void visit_match(PoolId u, const Asked& asked, std::uint32_t level_number);
  void pass_through(PoolId u, const Asked& asked);
  void form(PoolId u, const Asked& asked, std::uint32_t list_number);
  [[nodiscard]] bool agrees(PoolId u, const Level& level, bool exclusive);
  [[nodiscard]] int match(PoolId u, const Asked& asked) const;
  [[nodiscard]] bool slot_resolves(PoolId u, const Siblings& siblings) const;
  [[nodiscard]] bool slot_offered(PoolId u, const Siblings& siblings) const;
  [[nodiscard]] bool may_hold(PoolId u, const Asked& asked) const;
  [[nodiscard]] bool offers(PoolId u, const std::vector<Need>& needs) const;
  [[nodiscard]] bool leaf(PoolId u) const {
    return graph_.leaf(u) && (ways_ == nullptr || graph_.further_children(u).empty());
  }
  void remark(std::string text);
  void collect(const Item& item);  // onto picked_

  // --- boards_explore.cpp: children
  void explore(PoolId u, const Asked& below, std::int64_t shares);
  void explore_first(PoolId u, const Asked& below, std::int64_t shares);
  void explore_list(PoolId u, const Asked& below, std::size_t first_share, std::int64_t shares);
  void explore_ways(PoolId u, const Asked& below);
  bool explore_child(PoolId u, PoolId v, Asked below, std::size_t first_share, std::int64_t shares);
  [[nodiscard]] bool wanted(TypeId type, const Asked& below) const;

  // --- boards_choose.cpp: from groups to slots and to what is taken
  void sort_type(TypeId type, std::size_t first, bool top);
  bool choose(std::uint32_t list_number, std::size_t first, bool top);
  void form_slots(PoolId u, const Siblings& siblings, const Marks& m);
  bool pack(const Level& slot, const Siblings& inside);
  void pack_alternatives(PoolId u, const Siblings& siblings, const Siblings& inside);
  [[nodiscard]] std::uint32_t type_index(TypeId type, const Siblings& inside) const;

  const Probe& probe_;
  const ResourceGraph& graph_;
  State& state_;
  const Policy& policy_;
  Exploration& exploration_;
  const TypeId slot_;

  std::uint64_t visits_ = 0;
  std::vector<std::string> remarks_;

  // Arenas: groups_ and items_ are stacks, chosen_ grows until a visit fails
  std::vector<Group> groups_;
  std::vector<Item> items_, chosen_;
  std::vector<PoolId> pools_;               // stack of sorted child lists
  std::vector<CandidateList::Need> needs_;  // stack of needs of list searches
  std::vector<Share> shares_;               // stack
  Picked picked_;
  DrawnPools drawn_;
  Ways* const ways_;     // as the probe's
  Picked::Moved moved_;  // pools entered through an edge outside the tree, and where it comes from
  std::vector<PoolId> entered_;  // with `ways_`, in this order
  Again again_ = Again::never;
  bool met_again_ = false;  // a pool was not there, as it had been visited

  // Scratch of forming slots and choosing, which never nest
  std::vector<std::uint32_t> order_;         // groups by type, in order of preference
  std::vector<std::size_t> next_, ends_;     // by type of the slots: into order_
  std::vector<std::int64_t> units_, sizes_;  // by type: units on the board; sizes of groups
  std::vector<const Level*> alternatives_;   // slots that may be formed
  std::vector<Group> slot_groups_;
  std::vector<Item> slot_items_;
  OrSlots or_slots_;
};

}  // namespace copse
