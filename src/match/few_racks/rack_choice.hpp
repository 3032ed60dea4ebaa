// SPDX-License-Identifier: Apache-2.0
//
// RackChoice: chooses the nodes that the walk tries first, if the policy prefers few racks.
//
// A request is read as a chain: racks that it names, from the top down, each a number of times; then
// equal parts: whole nodes, parts of nodes, or slots below nodes. PieceSearch chooses racks of the
// named types by best fit, and the nodes in them. Of a range of racks the least number is taken, of
// a range of nodes or slots the largest that has room.
//
// Amounts only exclude: if the walk fails on these nodes, it must try all. Nothing is chosen for
// requests with siblings, for racks that are taken whole, and for whole nodes of a machine without
// levels.
//
// Size: that of LevelTree, and of NodeRooms for each of the last kKinds kinds of parts.
// choose: O(racks / 64 + nodes that changed); see PieceSearch and NodeRooms. O(nodes) if a
// constraint, layers, later grants or a later start have to be regarded.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "match/few_racks/level_tree.hpp"
#include "match/few_racks/node_rooms.hpp"
#include "match/few_racks/piece_search.hpp"
#include "match/shared/eligibility.hpp"

namespace copse {

class RackChoice {
 public:
  // `spares_gpus`: a request without gpus is first tried on the nodes without gpus.
  RackChoice(bool spares_gpus, bool keep_large)
      : spares_gpus_(spares_gpus), keep_large_(keep_large) {}

  // Chooses nodes for the request of the query. nullptr: no nodes are better than others, or there
  // is not enough room. Valid until the next call.
  [[nodiscard]] const ChosenNodes* choose(const Eligibility& eligibility, const WatchedLists& lists,
                                          NodeRooms::Amounts amounts);
  // Whether pools may be unfit although amounts are enough: the walk may find more on nodes that are
  // chosen by what is seen. O(pools that are not up).
  [[nodiscard]] static bool may_see_more(const Eligibility& eligibility);

 private:
  // A rack that is named, and how many of them.
  struct Step {
    TypeId type;
    std::int64_t count = 1;
  };
  struct Chain {
    std::vector<Step> steps{};
    RoomKind kind{};
    Count count{};                 // of parts, in each rack of the last step
    std::int64_t per_slot = 1;     // nodes of a slot, which are children of one rack
    std::uint32_t node_level = 0;  // of the nodes, if the request names them
  };
  static constexpr std::size_t kKinds = 8;

  [[nodiscard]] std::optional<Chain> read(const Eligibility& eligibility) const;
  [[nodiscard]] bool read_slot(const Eligibility& eligibility, const Level& slot,
                               Chain& chain) const;
  [[nodiscard]] const NodeRooms& rooms_for(const Eligibility& eligibility,
                                           const WatchedLists& lists, const Chain& chain,
                                           NodeRooms::Amounts amounts);
  [[nodiscard]] bool choose_for(const Chain& chain, const NodeRooms& rooms);
  [[nodiscard]] bool choose_in(const Chain& chain, const NodeRooms& rooms, std::size_t step,
                               std::uint32_t rack);
  [[nodiscard]] bool choose_parts(const Chain& chain, const NodeRooms& rooms, std::uint32_t rack);
  [[nodiscard]] bool choose_slots(const Chain& chain, const NodeRooms& rooms, std::uint32_t rack);
  void mark_items(const Chain& chain, const NodeRooms& rooms, std::size_t step, std::uint32_t rack,
                  std::vector<std::int64_t>& sums, std::vector<std::uint8_t>& items) const;

  const bool spares_gpus_, keep_large_;
  LevelTree tree_;
  std::deque<NodeRooms> kinds_;  // the last used first
  NodeRooms counted_{RoomKind{}};
  bool has_gpus_ = false, all_have_gpus_ = true;
  PieceSearch search_;
  ChosenNodes chosen_;
};

}  // namespace copse
