// SPDX-License-Identifier: Apache-2.0
#include "match/simple/node_choice.hpp"

#include <algorithm>
#include <iterator>

namespace copse {

namespace {

bool grows(const CompiledRequest& request) {
  return std::ranges::any_of(request.levels,
                             [](const Level& level) { return level.count.moldable(); });
}

}  // namespace

void NodeChoice::list_nodes(const Eligibility& eligibility) {
  const ResourceGraph& graph = eligibility.graph;
  if (graph_ == &graph && changes_ == graph.changes().size()) return;
  graph_ = &graph;
  changes_ = graph.changes().size();
  nodes_.clear();
  for (PoolId p : graph.of_type(eligibility.node)) {
    if (graph.in_tree(p) && !graph.leaf(p)) nodes_.push_back(p);
  }
  std::stable_sort(nodes_.begin(), nodes_.end(),
                   [&](PoolId a, PoolId b) { return graph.id(a) < graph.id(b); });
  inside_.assign(graph.names().types.size(), 0);
  for (PoolId p : nodes_) {
    for (const TypeTotal& t : graph.shape(p).totals) inside_[t.type.v] += t.total;
  }
  rooms_.resize(nodes_.size());
  blocks_.assign((nodes_.size() + kBlock - 1) / kBlock, {});
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    Block& block = blocks_[n / kBlock];
    const std::uint32_t i = graph.interior(nodes_[n]);
    block.first = n % kBlock == 0 ? i : std::min(block.first, i);
    block.last = std::max(block.last, i);
  }
}

NodeChoice::Parts NodeChoice::cut(const Eligibility& eligibility) {
  const CompiledRequest& request = *eligibility.request;
  const Level& top = request.levels[0];
  const bool of_nodes = request.total_of(eligibility.node) > 0;
  if (of_nodes) {
    const bool shared = request.top == 1 && !top.slot && top.type == eligibility.node &&
                        !takes_exclusively(top, false) && !request.takes_whole(top.type);
    return shared ? Parts{top.needs, top.count.min, true} : Parts{};
  }
  if (request.top > 1) return {request.total, 1, false};
  if (top.slot || !top.needs.empty()) return {top.needs, top.count.min, false};
  return {{{top.type, 1}}, top.count.min, false};
}

// The sum of increasing stamps: it is unchanged only if all of them are. 0: too many stamps.
std::uint64_t NodeChoice::stamp_of(const Block& block, const WatchedLists& lists) {
  constexpr std::uint32_t kMost = 8;
  const std::uint32_t first = block.first / WatchedLists::kStamped;
  const std::uint32_t last = block.last / WatchedLists::kStamped;
  if (last - first >= kMost) return 0;
  std::uint64_t stamp = 1;
  for (std::uint32_t n = first; n <= last; ++n) {
    stamp += lists.stamp(n * WatchedLists::kStamped);
  }
  return stamp;
}

void NodeChoice::count_rooms(const Eligibility& eligibility, const WatchedLists& lists,
                             const Parts& parts) {
  const bool kept = eligibility.view == StateView::now && !eligibility.request->constrained();
  const bool same =
      counted_.one_a_node == parts.one_a_node &&
      std::ranges::equal(counted_.needs, parts.needs, [](const Need& a, const Need& b) {
        return a.type == b.type && a.units == b.units;
      });
  counted_ = parts;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    const std::uint64_t stamp = kept ? stamp_of(block, lists) : 0;
    if (same && stamp != 0 && stamp == block.stamp) continue;
    block.stamp = stamp;
    const std::size_t end = std::min(nodes_.size(), (b + 1) * kBlock);
    for (std::size_t n = b * kBlock; n < end; ++n) {
      rooms_[n] = room_of(eligibility, nodes_[n], parts);
      rooms_[n].node = static_cast<std::uint32_t>(n);
    }
  }
}

// The free units of each type bound the number of parts.
NodeChoice::Room NodeChoice::room_of(const Eligibility& eligibility, PoolId node,
                                     const Parts& parts) const {
  constexpr Room kNone{0, 0, 0};
  if (!eligibility.passable(node) || !eligibility.path_open(node, eligibility.graph.root()))
    return kNone;
  const std::uint32_t i = eligibility.graph.interior(node);
  const Shape& shape = eligibility.graph.shape_of_interior(i);
  Room room{INT64_MAX, 0, 0};
  for (const Need& need : parts.needs) {
    if (need.units <= 0) continue;
    const int k = shape.total_index(need.type);
    if (k < 0) return kNone;
    const auto at = static_cast<std::uint32_t>(k);
    const std::int64_t free =
        shape.totals[at].total -
        eligibility.state.most_used(i, at + 1, eligibility.start, eligibility.end);
    if (free < need.units) return kNone;
    room.parts = std::min(room.parts, free / need.units);
    room.rest += free;
  }
  if (parts.one_a_node) room.parts = 1;
  return room;
}

bool NodeChoice::choose_freest(std::int64_t left) {
  heap_.clear();
  std::ranges::copy_if(rooms_, std::back_inserter(heap_),
                       [](const Room& room) { return room.parts > 0; });
  const auto after = [](const Room& a, const Room& b) {
    return a.rest != b.rest ? a.rest < b.rest : a.node > b.node;
  };
  std::make_heap(heap_.begin(), heap_.end(), after);
  for (; left > 0 && !heap_.empty(); heap_.pop_back()) {
    std::pop_heap(heap_.begin(), heap_.end(), after);
    left -= heap_.back().parts;
    chosen_.add(nodes_[heap_.back().node]);
  }
  if (left > 0) chosen_.clear(0);  // there is not enough
  return left <= 0;
}

const ChosenNodes* NodeChoice::choose(const Eligibility& eligibility, const WatchedLists& lists) {
  const CompiledRequest& request = *eligibility.request;
  if (request.levels.empty() || grows(request)) return nullptr;
  list_nodes(eligibility);
  if (nodes_.size() < 2) return nullptr;
  const Parts parts = cut(eligibility);
  if (parts.count <= 0 || parts.needs.empty()) return nullptr;
  const Shape& all = eligibility.graph.shape(eligibility.graph.root());
  const bool outside = std::ranges::any_of(parts.needs, [&](const Need& need) {
    return need.type.v >= inside_.size() || all.total(need.type) != inside_[need.type.v];
  });
  if (outside) return nullptr;
  count_rooms(eligibility, lists, parts);
  chosen_.clear(eligibility.graph.pool_count());
  if (!choose_freest(parts.count)) return nullptr;
  chosen_.sort();
  return &chosen_;
}

}  // namespace copse
