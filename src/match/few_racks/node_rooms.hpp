// SPDX-License-Identifier: Apache-2.0
//
// NodeRooms: how many equal parts of a request each node has room for, and the sums of racks.
//
// At present, rooms are kept until their nodes change. A constraint, layers and later times are
// counted anew for each request.
//
// Invariant, after count(): the room of a rack is the sum of those of the nodes below it.
//
// Size: 8 bytes per node, 8 per rack, 8 per block of nodes. count: O(blocks) and, of changed ones,
// O(nodes × types × depth); counted anew, O(nodes).
#pragma once

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
    shared,  // at most one part, beside other jobs
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
  // Counts the rooms for the query of `eligibility`; `kept`, if set, has those at present without
  // the constraint and the layers.
  void count(const Eligibility& eligibility, const LevelTree& tree, const NodeRooms* kept);
  // Updates the rooms at present. REQUIRES that pools have one parent.
  void follow(const Eligibility& eligibility, const LevelTree& tree, const WatchedLists& lists);

  [[nodiscard]] std::span<const std::int64_t> of_racks() const { return of_racks_; }
  [[nodiscard]] std::span<const std::int32_t> of_nodes() const { return rooms_; }
  // By node: its free units, over those of a part, summed over the types; 0 for whole nodes.
  [[nodiscard]] std::span<const std::int32_t> rests() const { return rests_; }

 private:
  struct Room {
    std::int32_t parts = 0, rest = 0;
  };
  [[nodiscard]] Room room_of(const Eligibility& eligibility, PoolId node) const;
  void set(const LevelTree& tree, std::uint32_t node, Room room);
  void clear(const LevelTree& tree);

  RoomKind kind_;
  std::vector<std::int32_t> rooms_, rests_;  // by node
  std::vector<std::int64_t> of_racks_;
  std::vector<std::uint64_t> stamps_;  // by block
};

}  // namespace copse
