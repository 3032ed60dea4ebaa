// SPDX-License-Identifier: Apache-2.0
//
// NodeChoice: chooses the nodes that the walk tries first, if the policy prefers those with most free
// (worst fit).
//
// The request is divided into equal parts: the needs of one unit of its top level, or of one of its
// nodes. A node has room for as many parts as it has free units of every type. The node with most
// free units of all types is chosen, until there is room for all parts. Of equal nodes the one with
// the lowest id is chosen. Amounts only exclude: if the walk fails on these nodes, it must try all.
//
// The room of nodes is cached, in blocks of kBlock nodes, until one of them changes.
//
// Size: 28 bytes per node, and 24 more while they are chosen. choose: O(nodes), the types of each node
// of a changed block or, for later times, of all; and O(log nodes) for each node chosen.
#pragma once

#include <cstdint>
#include <vector>

#include "match/shared/eligibility.hpp"

namespace copse {

class NodeChoice {
 public:
  // Chooses nodes for the request of the query. nullptr: no nodes are better than others (whole
  // equal nodes, counts that are ranges, types that are also outside of nodes), or there is not
  // enough room. Valid until the next call.
  [[nodiscard]] const ChosenNodes* choose(const Eligibility& eligibility,
                                          const WatchedLists& lists);

 private:
  struct Room {
    std::int64_t parts;  // number of parts that it has room for
    std::int64_t rest;   // its free units, summed over the types
    std::uint32_t node;  // index into nodes_
  };
  struct Parts {
    std::vector<Need> needs;  // of one
    std::int64_t count = 0;   // 0: it is not divided
    bool one_a_node = false;
  };

  static constexpr std::size_t kBlock = 64;
  struct Block {
    std::uint32_t first = 0, last = 0;  // interior numbers of its nodes, the least and the largest
    std::uint64_t stamp = 0;            // of the state when its rooms were computed; 0: never
  };

  void list_nodes(const Eligibility& eligibility);
  [[nodiscard]] static Parts cut(const Eligibility& eligibility);
  // Recomputes the rooms of blocks that changed.
  void count_rooms(const Eligibility& eligibility, const WatchedLists& lists, const Parts& parts);
  [[nodiscard]] static std::uint64_t stamp_of(const Block& block, const WatchedLists& lists);
  [[nodiscard]] Room room_of(const Eligibility& eligibility, PoolId node, const Parts& parts) const;
  bool choose_freest(std::int64_t left);

  const ResourceGraph* graph_ = nullptr;  // the graph of nodes_, after `changes_` of its changes
  std::size_t changes_ = 0;
  std::vector<PoolId> nodes_;         // interior, in the order of their ids
  std::vector<Block> blocks_;         // of nodes_
  std::vector<std::int64_t> inside_;  // units in nodes_, by type
  Parts counted_;                     // the parts for which rooms_ were computed
  std::vector<Room> rooms_;           // by index into nodes_
  std::vector<Room> heap_;            // scratch
  ChosenNodes chosen_;
};

}  // namespace copse
