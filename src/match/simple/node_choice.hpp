// SPDX-License-Identifier: Apache-2.0
//
// NodeChoice: on which nodes a request is looked for first, if the policy wants few nodes.
//
// The request is cut into equal parts: what one unit of its top level needs, or one of the nodes
// that it names. A node has room for as many parts as it has free units of every type. Nodes are
// chosen until they have room for all:
//   * of the nodes that have room for all that is left, the one that is then fullest (best fit);
//   * if there is none, the one with room for most, of these the fullest.
// With worst fit it is instead always the one with most free units of all types.
// Of nodes that are alike the one of lowest id is chosen. Where nodes are equally large, no fewer
// nodes can have what is chosen. Numbers may only exclude: what the walk does not get on these
// nodes, it is to look for on all.
//
// If some nodes have gpus, a request that asks for none is first looked for on the others: parts as
// above, whole nodes on all that have no gpu. It gets a node with gpus only where these do not do.
//
// What nodes have room for now is kept, in blocks of kBlock nodes, until one of them changes.
//
// Size: 28 bytes per node, and 24 more while several are chosen. choose: a visit of each node, the
// types of each node of a block that changed or, for later times, of all; and O(log nodes) for each
// node chosen but the last.
#pragma once

#include <cstdint>
#include <vector>

#include "match/shared/chosen_nodes.hpp"
#include "match/shared/eligibility.hpp"

namespace copse {

class NodeChoice {
 public:
  enum class Fit { best, worst };
  explicit NodeChoice(Fit fit) : fit_(fit) {}

  // Chooses nodes for the request that is asked; nullptr: there are no better nodes than others, as
  // for whole nodes that are alike, counts that may grow, and types of which some are outside of
  // nodes; or there is not enough room. Valid until the next call.
  [[nodiscard]] const ChosenNodes* choose(const Eligibility& eligibility,
                                          const WatchedLists& lists);

 private:
  struct Room {
    std::int64_t parts;  // that it has room for
    std::int64_t rest;   // its free units, summed over the types; for best fit in parts
    std::uint32_t node;  // index into nodes_
  };
  struct Parts {
    std::vector<Need> needs;  // of one
    std::int64_t count = 0;   // 0: it is not cut
    bool one_a_node = false;
  };

  static constexpr std::size_t kBlock = 64;
  struct Block {
    std::uint32_t first = 0, last = 0;  // interior numbers of its nodes, the least and the largest
    std::uint64_t stamp = 0;            // of the state when its rooms were counted; 0: they are not
  };

  void list_nodes(const Eligibility& eligibility);
  [[nodiscard]] static Parts cut(const Eligibility& eligibility);
  // Counts the rooms of blocks that changed.
  void count_rooms(const Eligibility& eligibility, const WatchedLists& lists, const Parts& parts);
  [[nodiscard]] static std::uint64_t stamp_of(const Block& block, const WatchedLists& lists);
  [[nodiscard]] Room room_of(const Eligibility& eligibility, PoolId node, const Parts& parts) const;
  enum class Among { all, without_gpus };
  [[nodiscard]] bool is_among(const Room& room, Among among) const {
    return among == Among::all || !has_gpus_[room.node];
  }
  // Of the rooms for at least so many parts; rooms.size(): there is none.
  [[nodiscard]] std::size_t best_fit(const std::vector<Room>& rooms, std::int64_t parts,
                                     Among among) const;
  // False: there is not enough room.
  bool choose_for(std::int64_t parts, Among among);
  bool choose_several(std::int64_t left, Among among);
  bool choose_freest(std::int64_t left);

  const Fit fit_;

  const ResourceGraph* graph_ = nullptr;  // that nodes_ are of, after `changes_` of its changes
  std::size_t changes_ = 0;
  std::vector<PoolId> nodes_;         // interior, in the order of their ids
  std::vector<Block> blocks_;         // of nodes_
  std::vector<bool> has_gpus_;        // of nodes_
  ChosenNodes without_gpus_;          // empty if none or all have gpus
  std::vector<std::int64_t> inside_;  // units in nodes_, by type
  Parts counted_;                     // what rooms_ are for
  std::vector<Room> rooms_;           // by index into nodes_
  std::vector<Room> heap_;            // scratch
  ChosenNodes chosen_;
};

}  // namespace copse
