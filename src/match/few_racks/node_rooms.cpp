// SPDX-License-Identifier: Apache-2.0
#include "match/few_racks/node_rooms.hpp"

#include <algorithm>

namespace copse {

namespace {

std::int32_t cut(std::int64_t value) {
  return static_cast<std::int32_t>(std::min<std::int64_t>(value, INT32_MAX));
}

}  // namespace

bool RoomKind::operator==(const RoomKind& other) const {
  return use == other.use && without_gpus == other.without_gpus &&
         std::ranges::equal(needs, other.needs, [](const Need& a, const Need& b) {
           return a.type == b.type && a.units == b.units;
         });
}

// The constraint does not count here, nor do layers.
NodeRooms::Room NodeRooms::room_of(const Eligibility& e, PoolId node) const {
  const auto open = [&](PoolId p) {
    return e.graph.size(p) > 0 && e.state.usable(p) && !e.state.allocated(p, e.start, e.end);
  };
  if (!open(node)) return {};
  for (PoolId up = e.graph.parent(node); up != kNoPool; up = e.graph.parent(up)) {
    if (!open(up)) return {};
  }
  const bool leaf = e.graph.leaf(node);
  if (kind_.without_gpus && !leaf) {
    const TypeId gpu = e.graph.find_type("gpu");
    if (gpu != kNoType && e.graph.shape(node).total(gpu) > 0) return {};
  }
  if (kind_.use == RoomKind::Use::idle && !leaf && e.state.touched(node, e.start, e.end)) return {};
  Room room{kind_.use == RoomKind::Use::parts ? INT32_MAX : 1, 0};
  std::int64_t rest = 0;
  for (const Need& need : kind_.needs) {
    if (need.units <= 0) continue;
    if (leaf) return {};
    const std::uint32_t i = e.graph.interior(node);
    const Shape& shape = e.graph.shape_of_interior(i);
    const int k = shape.total_index(need.type);
    if (k < 0) return {};
    const auto at = static_cast<std::uint32_t>(k);
    const std::int64_t free =
        shape.totals[at].total - e.state.most_used(i, at + 1, e.start, e.end);
    if (free < need.units) return {};
    if (kind_.use == RoomKind::Use::parts) room.parts = std::min(room.parts, cut(free / need.units));
    if (kind_.use != RoomKind::Use::idle) rest += free / need.units;
  }
  room.rest = cut(rest);
  return room;
}

void NodeRooms::set(const LevelTree& tree, std::uint32_t node, Room room) {
  rests_[node] = room.rest;
  const std::int64_t more = std::int64_t{room.parts} - rooms_[node];
  if (more == 0) return;
  rooms_[node] = room.parts;
  const auto racks = tree.racks();
  for (std::uint32_t r = tree.nodes()[node].above;; r = racks[r].parent) {
    of_racks_[r] += more;
    if (r == 0) break;
  }
}

void NodeRooms::clear(const LevelTree& tree) {
  rooms_.assign(tree.nodes().size(), 0);
  rests_.assign(tree.nodes().size(), 0);
  of_racks_.assign(tree.racks().size(), 0);
}

void NodeRooms::follow(const Eligibility& eligibility, const LevelTree& tree,
                       const WatchedLists& lists) {
  const auto blocks = tree.blocks();
  const bool fresh = stamps_.size() != blocks.size();
  if (fresh) {
    clear(tree);
    stamps_.assign(blocks.size(), 0);
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::uint64_t stamp = lists.stamp(blocks[b].interior);
    if (!fresh && stamp == stamps_[b]) continue;
    stamps_[b] = stamp;
    for (std::uint32_t n = blocks[b].first; n < blocks[b].end; ++n) {
      set(tree, n, room_of(eligibility, tree.nodes()[n].pool));
    }
  }
}

void NodeRooms::count(const Eligibility& eligibility, const LevelTree& tree,
                      const NodeRooms* kept) {
  clear(tree);
  const bool layered = eligibility.layered();
  for (std::uint32_t n = 0; n < tree.nodes().size(); ++n) {
    const PoolId node = tree.nodes()[n].pool;
    const Room room = kept != nullptr ? Room{kept->rooms_[n], kept->rests_[n]}
                                      : room_of(eligibility, node);
    if (room.parts == 0 || !eligibility.passable(node)) continue;
    if (layered && !eligibility.availability->eligible(node)) continue;
    set(tree, n, room);
  }
}

}  // namespace copse
