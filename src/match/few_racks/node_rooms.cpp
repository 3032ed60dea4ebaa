// SPDX-License-Identifier: Apache-2.0
#include "match/few_racks/node_rooms.hpp"

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

namespace {

// Whether a job may use pools below p, or p itself; the constraint does not count.
bool is_open(const Eligibility& e, PoolId p) {
  return e.graph.size(p) > 0 && e.state.usable(p) && !e.state.allocated(p, e.start, e.end);
}

}  // namespace

bool NodeRooms::path_open(const Eligibility& e, PoolId rack) {
  for (PoolId up = rack; up != kNoPool; up = e.graph.parent(up)) {
    if (!is_open(e, up)) return false;
  }
  return true;
}

// The constraint does not count here, nor do layers. REQUIRES that the path above is open.
NodeRooms::Room NodeRooms::room_of(const Eligibility& e, PoolId node) const {
  const bool leaf = e.graph.leaf(node);
  const bool idle = kind_.use == RoomKind::Use::idle;
  if (!is_open(e, node)) return {};
  if (idle && !leaf && e.state.most_used(e.graph.interior(node), 0, e.start, e.end) > 0) return {};
  if (kind_.without_gpus && !leaf) {
    const TypeId gpu = e.graph.find_type("gpu");
    if (gpu != kNoType && e.graph.shape(node).total(gpu) > 0) return {};
  }
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
    const std::int64_t used = idle ? 0 : e.state.most_used(i, at + 1, e.start, e.end);
    const std::int64_t free = shape.totals[at].total - used;
    if (free < need.units) return {};
    if (idle) continue;
    rest += free / need.units;
    if (kind_.use == RoomKind::Use::parts)
      room.parts = std::min(room.parts, cut(free / need.units));
  }
  room.rest = cut(rest);
  return room;
}

// Units of pools that a job may have, and that have the properties of some level of their type.
NodeRooms::Room NodeRooms::seen_room(const Eligibility& e, PoolId node, Room room) const {
  const auto agrees = [&](PoolId p) {
    return std::ranges::any_of(e.request->levels, [&](const Level& level) {
      return level.type == e.graph.type(p) && e.request->agrees(p, level);
    });
  };
  for (const Need& need : kind_.needs) {
    if (need.units <= 0) continue;
    std::int64_t free = 0;
    e.graph.preorder(node, [&](PoolId p) {
      if (p != node && !e.passable(p)) return false;
      if (e.graph.type(p) == need.type && agrees(p)) free += e.units_of(p);
      return true;
    });
    if (free < need.units) return {};
    if (kind_.use == RoomKind::Use::parts)
      room.parts = std::min(room.parts, cut(free / need.units));
  }
  return room;
}

void NodeRooms::set(const LevelTree& tree, std::uint32_t node, Room room) {
  if (!node_masks_.empty() && (rests_[node] != room.rest || rooms_[node] != room.parts)) {
    const std::uint32_t run = tree.node_run_of(node);
    if (!node_run_changed_[run]) changed_node_runs_.push_back(run);
    node_run_changed_[run] = true;
  }
  rests_[node] = room.rest;
  const std::int64_t more = std::int64_t{room.parts} - rooms_[node];
  if (more == 0) return;
  rooms_[node] = room.parts;
  const auto racks = tree.racks();
  for (std::uint32_t r = tree.nodes()[node].above;; r = racks[r].parent) {
    of_racks_[r] += more;
    const std::uint32_t run = tree.run_of(r);
    if (!run_changed_[run]) {
      run_changed_[run] = true;
      changed_runs_.push_back(run);
    }
    if (r == 0) break;
  }
}

void NodeRooms::clear(const LevelTree& tree) {
  rooms_.assign(tree.nodes().size(), 0);
  rests_.assign(tree.nodes().size(), 0);
  of_racks_.assign(tree.racks().size(), 0);
  masks_.assign(tree.run_count(), bit(0));
  run_changed_.assign(tree.run_count(), false);
  changed_runs_.clear();
  const auto counts = std::ranges::count_if(kind_.needs, [](const Need& n) { return n.units > 0; });
  const bool of_one_type = kind_.use != RoomKind::Use::idle && counts == 1;
  node_masks_.assign(of_one_type ? tree.node_runs().size() : 0, 0);
  node_run_changed_.assign(node_masks_.size(), false);
  changed_node_runs_.clear();
}

void NodeRooms::mask_runs(const LevelTree& tree) {
  for (const std::uint32_t run : changed_node_runs_) {
    std::uint64_t mask = 0;
    for (std::uint32_t n = tree.node_runs()[run].first; n < tree.node_runs()[run].end; ++n) {
      if (rooms_[n] > 0) mask |= bit(rests_[n]);
    }
    node_masks_[run] = mask;
    node_run_changed_[run] = false;
  }
  changed_node_runs_.clear();
  std::ranges::sort(changed_runs_);
  std::uint32_t height = 1;
  for (const std::uint32_t run : changed_runs_) {
    while (run - tree.first_run(height) >= tree.runs(height).size()) ++height;
    const LevelTree::Run& racks = tree.runs(height)[run - tree.first_run(height)];
    std::uint64_t mask = 0;
    for (std::uint32_t k = racks.first; k < racks.end; ++k) {
      mask |= bit(of_racks_[tree.of_height(height)[k]]);
    }
    masks_[run] = mask;
    run_changed_[run] = false;
  }
  changed_runs_.clear();
}

void NodeRooms::follow(const Eligibility& eligibility, const LevelTree& tree,
                       const WatchedLists& lists) {
  const auto recount = [&](LevelTree::Range nodes) {
    std::uint32_t above = UINT32_MAX;
    bool open = false;
    for (std::uint32_t n = nodes.first; n < nodes.end; ++n) {
      const LevelTree::Node& node = tree.nodes()[n];
      if (node.above != above) open = path_open(eligibility, tree.racks()[node.above].pool);
      above = node.above;
      set(tree, n, open ? room_of(eligibility, node.pool) : Room{});
    }
  };
  const auto changes = lists.changes_after(seen_);
  if (fresh_ || !changes) {
    if (fresh_) clear(tree);
    recount({0, static_cast<std::uint32_t>(tree.nodes().size())});
  } else {
    for (const std::uint32_t interior : *changes) recount(tree.nodes_of(interior));
  }
  seen_ = lists.change_count();
  fresh_ = false;
  mask_runs(tree);
}

void NodeRooms::count(const Eligibility& eligibility, const LevelTree& tree, std::uint32_t level,
                      const NodeRooms* kept, Amounts amounts) {
  using Known = StartBounds::Known;
  clear(tree);
  const bool layered = eligibility.layered();
  const bool bounded = eligibility.bounds != nullptr && kind_.use == RoomKind::Use::idle;
  std::uint32_t above = UINT32_MAX;
  bool open = false;
  for (std::uint32_t n = 0; n < tree.nodes().size(); ++n) {
    const LevelTree::Node& node = tree.nodes()[n];
    const Known known = bounded ? eligibility.bounds->known(node.pool, level) : Known::nothing;
    if (known == Known::closed) continue;
    Room room;
    if (kept != nullptr) {
      room = {kept->rooms_[n], kept->rests_[n]};
    } else {
      if (node.above != above) open = path_open(eligibility, tree.racks()[node.above].pool);
      above = node.above;
      if (open && known == Known::open && !kind_.without_gpus) room = {1, 0};
      if (open && room.parts == 0) room = room_of(eligibility, node.pool);
    }
    if (room.parts == 0) continue;
    if (known != Known::open) {
      if (!eligibility.passable(node.pool)) continue;
      if (kind_.use == RoomKind::Use::idle && !eligibility.idle(node.pool)) continue;
    }
    if (layered && !eligibility.availability->eligible(node.pool)) continue;
    if (amounts == Amounts::seen) room = seen_room(eligibility, node.pool, room);
    set(tree, n, room);
  }
  mask_runs(tree);
}

}  // namespace copse
