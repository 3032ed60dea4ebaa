// SPDX-License-Identifier: Apache-2.0
//
// NodeRooms: how many equal parts of a request each node has room for, and the sums of racks.
//
// At present, rooms are kept until their nodes change. A constraint, layers and later times are
// counted again for each request.
//
// Invariant, after count(): the room of a rack is the sum of those of the nodes below it.
//
// Size: 8 bytes per node, 8 per rack and run of racks. follow: O(changes × types × depth), or O(nodes)
// after many changes (WatchedLists::kChangesMax). count: O(nodes).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "match/few_racks/level_tree.hpp"
#include "match/shared/eligibility.hpp"

namespace copse {

// What a node must have for one part.
struct RoomKind {
  enum class Use : std::uint8_t {
    idle,    // the node as a whole: at most one part
    shared,  // at most one part, with other jobs
    parts,   // as many as fit
  };
  Use use = Use::idle;
  bool without_gpus = false;  // only nodes without gpus
  std::vector<Need> needs{};  // free units below

  [[nodiscard]] bool operator==(const RoomKind& other) const;
};

class NodeRooms {
 public:
  explicit NodeRooms(RoomKind kind) : kind_(std::move(kind)) {}

  [[nodiscard]] const RoomKind& kind() const { return kind_; }
  // Amounts of types say little about single pools: cores that are down, devices of another type. `seen`
  // looks at each pool of the nodes that have room by amounts. O(pools of these nodes).
  enum class Amounts : bool { counted, seen };
  // Counts the rooms for the query of `eligibility`; `kept`, if set, has those at present without
  // the constraint and the layers. `level`: that of the nodes, if they are taken whole.
  void count(const Eligibility& eligibility, const LevelTree& tree, std::uint32_t level,
             const NodeRooms* kept, Amounts amounts);
  // Updates the rooms at present. REQUIRES that pools have one parent.
  void follow(const Eligibility& eligibility, const LevelTree& tree, const WatchedLists& lists);

  [[nodiscard]] std::span<const std::int64_t> of_racks() const { return of_racks_; }
  [[nodiscard]] std::span<const std::int32_t> of_nodes() const { return rooms_; }
  // By run of racks (LevelTree::Run): a bit for each room that one of them has; the last bit is for it and
  // all larger ones.
  [[nodiscard]] std::span<const std::uint64_t> masks() const { return masks_; }
  [[nodiscard]] static std::uint64_t bit(std::int64_t room) {
    return UINT64_C(1) << std::min<std::int64_t>(room, 63);
  }
  // By run of nodes: the same for the rests of nodes with room. Only if these are free units of one
  // type, so that a node has room for as many parts as its rest, if it may have several; else empty.
  [[nodiscard]] std::span<const std::uint64_t> node_masks() const { return node_masks_; }
  // By node: its free units, over those of a part, summed over the types; 0 for whole nodes.
  [[nodiscard]] std::span<const std::int32_t> rests() const { return rests_; }

 private:
  struct Room {
    std::int32_t parts = 0, rest = 0;
  };
  [[nodiscard]] static bool path_open(const Eligibility& eligibility, PoolId rack);
  [[nodiscard]] Room room_of(const Eligibility& eligibility, PoolId node) const;
  [[nodiscard]] Room seen_room(const Eligibility& eligibility, PoolId node, Room room) const;
  void set(const LevelTree& tree, std::uint32_t node, Room room);
  void clear(const LevelTree& tree);
  void mask_runs(const LevelTree& tree);

  RoomKind kind_;
  std::vector<std::int32_t> rooms_, rests_;  // by node
  std::vector<std::int64_t> of_racks_;
  std::vector<std::uint64_t> masks_;         // by run
  std::vector<std::uint32_t> changed_runs_;  // whose masks are outdated
  std::vector<bool> run_changed_;
  std::vector<std::uint64_t> node_masks_;  // by run of nodes
  std::vector<std::uint32_t> changed_node_runs_;
  std::vector<bool> node_run_changed_;
  std::uint64_t seen_ = 0;  // changes of the lists
  bool fresh_ = true;       // nothing was counted so far
};

}  // namespace copse
