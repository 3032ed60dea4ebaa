// SPDX-License-Identifier: Apache-2.0
//
// NodeChoice: chooses the nodes that the walk tries first, if the policy prefers few nodes.
//
// The request is divided into equal parts: the needs of one unit of its top level, or of one of its
// nodes. A node has room for as many parts as it has free units of every type. Nodes are chosen
// until they have room for all:
//   * of the nodes with room for all remaining parts, the one that is then fullest (best fit);
//     * if there is none, the one with room for most parts, of these the fullest.
// Worst fit always chooses the node with most free units of all types. Of equal nodes the one with
// the lowest id is chosen. If nodes have equal sizes, the number of chosen nodes is minimal.
// Amounts only exclude: if the walk fails on these nodes, it must try all.
//
// If some nodes have gpus, a request without gpus is first tried on the others: parts as above,
// whole nodes on all nodes without gpus. It gets a node with gpus only if this fails.
//
// The room of nodes is cached, in blocks of kBlock nodes, until one of them changes.
//
// Size: 28 bytes per node, and 24 more while several are chosen. choose: O(nodes), the types of
// each node of a changed block or, for later times, of all; and O(log nodes) for each node chosen
// but the last.
#pragma once

#include <cstdint>
#include <vector>

#include "match/shared/eligibility.hpp"

namespace copse {

class NodeChoice {
 public:
  enum class Fit { best, worst };
  explicit NodeChoice(Fit fit) : fit_(fit) {}

  // Chooses nodes for the request of the query. nullptr: no nodes are better than others (whole
  // equal nodes, counts that are ranges, types that are also outside of nodes), or there is not
  // enough room. Valid until the next call.
  [[nodiscard]] const ChosenNodes* choose(const Eligibility& eligibility,
                                          const WatchedLists& lists);

 private:
  struct Room {
    std::int64_t parts;  // number of parts that it has room for
    std::int64_t rest;   // its free units, summed over the types; for best fit in units of parts
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
  enum class Among { all, without_gpus };
  [[nodiscard]] bool is_among(const Room& room, Among among) const {
    return among == Among::all || !has_gpus_[room.node];
  }
  // The best-fitting room for at least `parts`; rooms.size(): there is none.
  [[nodiscard]] std::size_t best_fit(const std::vector<Room>& rooms, std::int64_t parts,
                                     Among among) const;
  // False: there is not enough room.
  bool choose_for(std::int64_t parts, Among among);
  bool choose_several(std::int64_t left, Among among);
  bool choose_freest(std::int64_t left);

  const Fit fit_;

  const ResourceGraph* graph_ = nullptr;  // the graph of nodes_, after `changes_` of its changes
  std::size_t changes_ = 0;
  std::vector<PoolId> nodes_;         // interior, in the order of their ids
  std::vector<Block> blocks_;         // of nodes_
  std::vector<bool> has_gpus_;        // of nodes_
  ChosenNodes without_gpus_;          // empty if none or all have gpus
  std::vector<std::int64_t> inside_;  // units in nodes_, by type
  Parts counted_;                     // the parts for which rooms_ were computed
  std::vector<Room> rooms_;           // by index into nodes_
  std::vector<Room> heap_;            // scratch
  ChosenNodes chosen_;
};

}  // namespace copse
