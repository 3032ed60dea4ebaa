// SPDX-License-Identifier: Apache-2.0
#include "match/few_racks/rack_choice.hpp"

#include <algorithm>

namespace copse {

// --- Reading a request

// A slot of nodes, or of parts of nodes.
bool RackChoice::read_slot(const Eligibility& eligibility, const Level& slot, Chain& chain) const {
  const CompiledRequest& request = *eligibility.request;
  chain.count = slot.count;
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    const Level& level = request.levels[c];
    if (tree_.is_rack_type(level.type)) return false;
    if (level.type != eligibility.node) continue;
    if (level.count.moldable()) return false;
    chain.per_slot = level.count.min;
    chain.kind.needs = level.needs;
    const bool whole = takes_exclusively(level, true) || request.takes_whole(level.type);
    chain.kind.use = whole ? RoomKind::Use::idle : RoomKind::Use::shared;
    chain.node_level = c;
    return chain.per_slot > 0;
  }
  chain.kind.needs = slot.needs;
  chain.kind.use = RoomKind::Use::parts;
  return slot.children > 0;
}

std::optional<RackChoice::Chain> RackChoice::read(const Eligibility& eligibility) const {
  const CompiledRequest& request = *eligibility.request;
  if (request.top != 1) return std::nullopt;
  Chain chain;
  for (const Level* level = &request.levels[0];; level = &request.levels[level->first]) {
    if (level->slot) {
      if (!read_slot(eligibility, *level, chain)) return std::nullopt;
      break;
    }
    const bool whole = takes_exclusively(*level, false) || request.takes_whole(level->type);
    if (level->type == eligibility.node) {
      chain.count = level->count;
      chain.kind.needs = level->needs;
      chain.kind.use = whole ? RoomKind::Use::idle : RoomKind::Use::shared;
      chain.node_level = static_cast<std::uint32_t>(level - request.levels.data());
      break;
    }
    if (!tree_.is_rack_type(level->type)) {
      chain.count = level->count;
      chain.kind.needs = level->needs;
      if (chain.kind.needs.empty()) chain.kind.needs = {{level->type, 1}};
      chain.kind.use = RoomKind::Use::parts;
      break;
    }
    if (whole || level->children != 1) return std::nullopt;
    chain.steps.push_back({level->type, level->count.min});
  }
  const Shape& all = eligibility.graph.shape(eligibility.graph.root());
  const bool outside = std::ranges::any_of(chain.kind.needs, [&](const Need& need) {
    return all.total(need.type) != tree_.inside(need.type);
  });
  if (outside || chain.count.min <= 0) return std::nullopt;
  return chain;
}

// --- Rooms

const NodeRooms& RackChoice::rooms_for(const Eligibility& eligibility, const WatchedLists& lists,
                                       const Chain& chain, NodeRooms::Amounts amounts) {
  const RoomKind& kind = chain.kind;
  const NodeRooms* kept = nullptr;
  if (eligibility.view == StateView::now && !eligibility.state.has_later()) {
    const auto found = std::ranges::find(kinds_, kind, &NodeRooms::kind);
    if (found == kinds_.end()) {
      if (kinds_.size() == kKinds) kinds_.pop_back();
      kinds_.emplace_front(kind);
    } else if (found != kinds_.begin()) {
      std::rotate(kinds_.begin(), found, found + 1);
    }
    kinds_.front().follow(eligibility, tree_, lists);
    const bool plain = !eligibility.request->constrained() && eligibility.paths == nullptr &&
                       !eligibility.layered();
    if (plain && amounts == NodeRooms::Amounts::counted) return kinds_.front();
    kept = &kinds_.front();
  }
  counted_ = NodeRooms(kind);
  counted_.count(eligibility, tree_, chain.node_level, kept, amounts);
  return counted_;
}

// --- Choosing

// Chooses nodes below a rack; false if it has too little room.
bool RackChoice::choose_parts(const Chain& chain, const NodeRooms& rooms, std::uint32_t rack) {
  if (chain.per_slot > 1) return choose_slots(chain, rooms, rack);
  const std::int64_t parts = chain.count.effective(rooms.of_racks()[rack]);
  if (parts <= 0) return false;
  std::vector<PieceSearch::Taken> taken;
  search_.choose({.tree = &tree_,
                  .of_racks = rooms.of_racks(),
                  .of_nodes = rooms.of_nodes(),
                  .rests = rooms.rests(),
                  .masks = rooms.masks(),
                  .node_masks = rooms.node_masks(),
                  .several = chain.kind.use == RoomKind::Use::parts,
                  .alike = chain.kind.use == RoomKind::Use::idle,
                  .keep_large = keep_large_},
                 rack, parts, taken);
  for (const auto& one : taken) chosen_.add(tree_.nodes()[one.number].pool);
  return true;
}

// Slots of several nodes are formed at the highest racks that have nodes as children.
bool RackChoice::choose_slots(const Chain& chain, const NodeRooms& rooms, std::uint32_t rack) {
  const auto racks = tree_.racks();
  std::vector<std::int64_t> sums(racks.size(), 0), rests(racks.size(), 0);
  std::vector<std::uint8_t> items(racks.size(), 0);
  for (std::uint32_t r = rack; r < racks[rack].end;) {
    const auto own = tree_.own(racks[r]);
    if (own.empty()) {
      ++r;
      continue;
    }
    for (const std::uint32_t n : own) rests[r] += rooms.of_nodes()[n] > 0 ? 1 : 0;
    items[r] = 1;
    const std::int64_t slots = rests[r] / chain.per_slot;
    for (std::uint32_t up = r;; up = racks[up].parent) {
      sums[up] += slots;
      if (up == rack) break;
    }
    r = racks[r].end;
  }
  const std::int64_t count = chain.count.effective(sums[rack]);
  if (count <= 0) return false;
  std::vector<PieceSearch::Taken> taken;
  search_.choose({.tree = &tree_,
                  .of_racks = sums,
                  .items = items,
                  .rack_rests = rests,
                  .keep_large = keep_large_},
                 rack, count, taken);
  for (const auto& one : taken) {
    std::int64_t left = one.parts * chain.per_slot;
    for (const std::uint32_t n : tree_.own(racks[one.number])) {
      if (left == 0) break;
      if (rooms.of_nodes()[n] <= 0) continue;
      chosen_.add(tree_.nodes()[n].pool);
      --left;
    }
  }
  return true;
}

// Marks the racks of a step below `rack`, or `rack` itself, that have room for the rest of the chain.
void RackChoice::mark_items(const Chain& chain, const NodeRooms& rooms, std::size_t step,
                            std::uint32_t rack, std::vector<std::int64_t>& sums,
                            std::vector<std::uint8_t>& items) const {
  const auto racks = tree_.racks();
  const auto has_room = [&](std::uint32_t r) {
    if (step + 1 == chain.steps.size()) {
      return chain.count.effective(rooms.of_racks()[r] / chain.per_slot) > 0;
    }
    std::vector<std::int64_t> inner(racks.size(), 0);
    std::vector<std::uint8_t> inner_items(racks.size(), 0);
    mark_items(chain, rooms, step + 1, r, inner, inner_items);
    return inner[r] >= chain.steps[step + 1].count;
  };
  const TypeId type = chain.steps[step].type;
  for (std::uint32_t r = rack; r < racks[rack].end;) {
    const bool named = racks[r].type == type;
    if (named && has_room(r)) {
      items[r] = 1;
      for (std::uint32_t up = r;; up = racks[up].parent) {
        ++sums[up];
        if (up == rack) break;
      }
    }
    r = named ? racks[r].end : r + 1;
  }
}

bool RackChoice::choose_in(const Chain& chain, const NodeRooms& rooms, std::size_t step,
                           std::uint32_t rack) {
  if (step == chain.steps.size()) return choose_parts(chain, rooms, rack);
  std::vector<std::int64_t> sums(tree_.racks().size(), 0);
  std::vector<std::uint8_t> items(tree_.racks().size(), 0);
  mark_items(chain, rooms, step, rack, sums, items);
  const std::int64_t count = chain.steps[step].count;
  if (count <= 0 || sums[rack] < count) return false;
  std::vector<PieceSearch::Taken> taken;
  search_.choose({.tree = &tree_,
                  .of_racks = sums,
                  .items = items,
                  .rack_rests = rooms.of_racks(),
                  .keep_large = keep_large_},
                 rack, count, taken);
  return std::ranges::all_of(taken, [&](const PieceSearch::Taken& one) {
    return choose_in(chain, rooms, step + 1, one.number);
  });
}

bool RackChoice::choose_for(const Chain& chain, const NodeRooms& rooms) {
  return choose_in(chain, rooms, 0, 0);
}

bool RackChoice::may_see_more(const Eligibility& eligibility) {
  if (eligibility.layered()) return false;
  if (!eligibility.request->filters.empty()) return true;
  if (eligibility.state.all_usable()) return false;
  const ResourceGraph& graph = eligibility.graph;
  return std::ranges::any_of(eligibility.state.statuses(), [&](const auto& status) {
    const PoolId p{status.first};
    return !usable(status.second) && graph.leaf(p) && graph.type(p) != eligibility.node;
  });
}

const ChosenNodes* RackChoice::choose(const Eligibility& eligibility, const WatchedLists& lists,
                                      NodeRooms::Amounts amounts) {
  const ResourceGraph& graph = eligibility.graph;
  const CompiledRequest& request = *eligibility.request;
  if (request.levels.empty()) return nullptr;
  const TypeId gpu = graph.find_type("gpu");
  if (tree_.follow(graph, eligibility.node)) {
    kinds_.clear();
    std::size_t with = 0;
    for (const LevelTree::Node& node : tree_.nodes()) {
      with += gpu != kNoType && graph.shape(node.pool).total(gpu) > 0 ? 1U : 0U;
    }
    has_gpus_ = with > 0;
    all_have_gpus_ = with == tree_.nodes().size();
  }
  if (tree_.nodes().size() < 2) return nullptr;
  auto chain = read(eligibility);
  if (!chain) return nullptr;
  const bool spares = spares_gpus_ && has_gpus_ && !all_have_gpus_ && request.total_of(gpu) == 0;
  const bool alike = chain->kind.use == RoomKind::Use::idle;
  if (alike && !tree_.has_levels() && !spares) return nullptr;
  for (const bool without_gpus : {true, false}) {
    if (without_gpus && !spares) continue;
    chosen_.clear(graph.pool_count());
    chain->kind.without_gpus = without_gpus;
    if (!choose_for(*chain, rooms_for(eligibility, lists, *chain, amounts))) continue;
    chosen_.sort();
    return &chosen_;
  }
  return nullptr;
}

}  // namespace copse
