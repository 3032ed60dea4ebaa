// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/reserved_nodes.hpp"

#include <algorithm>
#include <cassert>
#include <set>

#include <fmt/format.h>

#include "base/job_id.hpp"

namespace copse::queue {

namespace {

// The node that a pool is, or is in; kNoPool if it is in none.
PoolId node_around(const ResourceGraph& graph, PoolId pool) {
  const TypeId node = graph.find_type("node");
  while (pool != kNoPool && graph.type(pool) != node) pool = graph.parent(pool);
  return pool;
}

template <class T>
void insert_once(std::vector<T>& ascending, T value) {
  const auto at = std::ranges::lower_bound(ascending, value);
  if (at == ascending.end() || *at != value) ascending.insert(at, value);
}

template <class T>
bool erase_one(std::vector<T>& ascending, T value) {
  const auto at = std::ranges::lower_bound(ascending, value);
  if (at == ascending.end() || *at != value) return false;
  ascending.erase(at);
  return true;
}

std::vector<ExpandedPool> pools_of(const ResourceGraph& graph, const Grant& grant) {
  std::vector<ExpandedPool> out;
  expand(graph, grant.selection, out);
  return out;
}

}  // namespace

ReservedNodes::ReservedNodes(std::int64_t start_s, std::int64_t end_s, Room room, std::string name,
                             const ResourceGraph& graph)
    : start_s_(start_s), end_s_(end_s), room_(std::move(room)) {
  assert(start_s < end_s && std::ranges::is_sorted(room_.nodes));
  for (const PoolId node : nodes()) names_.push_back(graph.name(node));
  note_above(graph);
  for (std::size_t i = 0; i < room_.layers.size(); ++i) {
    room_.layers[i].id = fmt::format("{} {} {}", name, start_s, i);
    room_.layers[i].from_s = end_s;
  }
}

void ReservedNodes::note_above(const ResourceGraph& graph) {
  std::set<PoolId> above;
  for (const PoolId node : nodes()) {
    PoolId up = graph.parent(node);
    while (up != kNoPool && above.insert(up).second) up = graph.parent(up);
  }
  above_.assign(above.begin(), above.end());
}

bool ReservedNodes::has(PoolId node) const { return std::ranges::binary_search(nodes(), node); }

// Those of its nodes in which the grant has something.
std::vector<PoolId> ReservedNodes::nodes_of(const ResourceGraph& graph, const Grant& grant) const {
  std::vector<PoolId> out;
  for (const ExpandedPool& pool : pools_of(graph, grant)) {
    if (std::ranges::binary_search(above_, pool.pool)) {
      if (!pool.exclusive) continue;
      std::ranges::copy_if(nodes(), std::back_inserter(out),
                           [&](PoolId node) { return graph.below(node, pool.pool); });
    } else if (const PoolId node = node_around(graph, pool.pool); node != kNoPool && has(node)) {
      out.push_back(node);
    }
  }
  std::ranges::sort(out);
  const auto same = std::ranges::unique(out);
  out.erase(same.begin(), same.end());
  return out;
}

std::vector<JobId> ReservedNodes::guests(const Engine& engine) const {
  std::vector<JobId> out;
  std::ranges::copy_if(guests_, std::back_inserter(out),
                       [&](JobId job) { return engine.grant(job) != nullptr; });
  return out;
}

bool ReservedNodes::stands_in_way(const ResourceGraph& graph, const Grant& grant) const {
  if (!overlaps(grant.start, grant.end)) return false;
  if (!room_.layers.empty() && !grant.charges.empty()) return true;
  return !nodes_of(graph, grant).empty();
}

std::vector<ReservationLoss> ReservedNodes::losses(const Engine& engine) const {
  std::vector<ReservationLoss> out;
  for (const JobId job : guests_) {
    const Grant* grant = engine.grant(job);
    if (grant == nullptr || grant->start > engine.now() || grant->end <= start_s_) continue;
    const std::int64_t from_s = std::max(start_s_, engine.now());
    out.push_back({job, nodes_of(engine.graph(), *grant), from_s, std::min(grant->end, end_s_)});
  }
  return out;
}

// --- Booking

ReservedNodes::Room ReservedNodes::room_of(const BookedTime& was, const ResourceGraph& graph) {
  Room room;
  const std::set<std::string_view> names(was.nodes.begin(), was.nodes.end());
  for (const PoolId node : graph.of_type(graph.find_type("node"))) {
    if (graph.in_tree(node) && names.contains(graph.name(node))) room.nodes.push_back(node);
  }
  std::ranges::sort(room.nodes);
  for (const auto& [resource, nodes, amount] : was.layers) {
    room.layers.push_back({.resource = resource, .nodes = nodes, .amount = amount});
  }
  return room;
}

BookedTime ReservedNodes::booked() const {
  BookedTime out{start_s_, names_, {}};
  for (const Layer& layer : room_.layers) {
    out.layers.push_back({layer.resource, layer.nodes, layer.amount});
  }
  return out;
}

void ReservedNodes::find_guests(const Engine& engine) {
  for (const JobId job : engine.jobs()) {
    if (is_reservation(job)) continue;
    if (stands_in_way(engine.graph(), *engine.grant(job))) insert_once(guests_, job);
  }
}

void ReservedNodes::resume(Engine& engine, std::vector<JobId> inside) {
  assert(grants_.empty());
  find_guests(engine);
  for (const JobId id : engine.jobs()) {
    const Grant& grant = *engine.grant(id);
    const bool own = is_reservation(id) && overlaps(grant.start, grant.end);
    if (own && has_nodes_of(engine.graph(), grant)) grants_.push_back(id);
  }
  std::ranges::sort(grants_);
  std::ranges::sort(inside);
  inside_ = std::move(inside);
  for (const Layer& layer : room_.layers) {
    [[maybe_unused]] const auto gone = engine.free_layer(layer.id);  // not there, if it had to wait
  }
  book_layers(engine);
}

void ReservedNodes::book(Engine& engine, JobId& next_id) {
  assert(grants_.empty());
  find_guests(engine);
  book_nodes(engine, next_id);
  book_layers(engine);
}

ReservedNodes::Holders ReservedNodes::holders(const Engine& engine) const {
  Holders out;
  for (const JobId job : guests_) {
    const Grant* grant = engine.grant(job);
    if (grant == nullptr) continue;
    for (const ExpandedPool& pool : pools_of(engine.graph(), *grant)) {
      Holder& holder = out[pool.pool.v];
      holder.until_s = std::max(holder.until_s, grant->end);
      holder.all = holder.all || pool.exclusive;
    }
  }
  return out;
}

// What of a pool is free from which time on. The recursion is as deep as the graph below a node.
void ReservedNodes::add_parts(const ResourceGraph& graph, const Holders& holders, PoolId pool,
                              std::int64_t from_s, Parts& out) const {
  const auto held = holders.find(pool.v);
  if (held == holders.end()) {
    out[from_s].push_back(pool);
    return;
  }
  if (held->second.all || graph.children(pool).empty()) {
    out[std::max(from_s, held->second.until_s)].push_back(pool);
    return;
  }
  for (const PoolId child : graph.children(pool)) add_parts(graph, holders, child, from_s, out);
}

// Before a grant beside the queue that begins later, nothing is booked: who was promised that time is
// a guest, too.
void ReservedNodes::book_nodes(Engine& engine, JobId& next_id) {
  if (book_free(engine, next_id)) return;
  give_back_nodes(engine);
  find_guests(engine);
  [[maybe_unused]] const bool booked = book_free(engine, next_id);
  assert(booked);
}

// Whether all that its guests leave could be booked.
bool ReservedNodes::book_free(Engine& engine, JobId& next_id) {
  const ResourceGraph& graph = engine.graph();
  const Holders held = holders(engine);
  const std::int64_t start_s = std::max(start_s_, engine.now());
  Parts parts;
  for (const PoolId node : nodes()) {
    std::int64_t from_s = start_s;
    for (PoolId up = graph.parent(node); up != kNoPool; up = graph.parent(up)) {
      const auto above = held.find(up.v);
      if (above != held.end() && above->second.all)
        from_s = std::max(from_s, above->second.until_s);
    }
    add_parts(graph, held, node, from_s, parts);
  }
  for (const auto& [from_s, pools] : parts) {
    if (from_s >= end_s_) break;
    while (engine.grant(next_id) != nullptr) ++next_id;  // of others, from before this queue
    const auto made = engine.update(next_id, pools, from_s, end_s_ - from_s);
    if (!made) return false;
    grants_.push_back(next_id++);
  }
  return true;
}

void ReservedNodes::give_back_nodes(Engine& engine) {
  for (const JobId id : grants_) {
    [[maybe_unused]] const auto gone = engine.cancel(id);  // not there, if its time is over
  }
  grants_.clear();
}

void ReservedNodes::give_back(Engine& engine) {
  give_back_nodes(engine);
  for (Layer& layer : room_.layers) {
    free_layer(engine, layer);
  }
  guests_.clear();
}

// --- Layers

void ReservedNodes::free_layer(Engine& engine, Layer& layer) const {
  if (layer.from_s >= end_s_) return;
  [[maybe_unused]] const auto gone = engine.free_layer(layer.id);  // not there, if it is over
  layer.from_s = end_s_;
}

bool ReservedNodes::book_layer(Engine& engine, Layer& layer, std::int64_t from_s) {
  const auto done = engine.reserve_layer({.id = layer.id,
                                          .resource = layer.resource,
                                          .nodes = layer.nodes,
                                          .count = layer.amount,
                                          .start = from_s,
                                          .end = end_s_,
                                          .jobs = inside_});
  if (done) layer.from_s = from_s;
  return done.has_value();
}

// What running jobs draw beyond the start is booked when enough of them are over.
void ReservedNodes::book_layers(Engine& engine) {
  if (room_.layers.empty()) return;
  const std::int64_t start_s = std::max(start_s_, engine.now());
  std::set<std::int64_t> times{start_s};
  for (const JobId job : guests_) {
    const Grant* grant = engine.grant(job);
    if (grant != nullptr && grant->end > start_s && grant->end < end_s_) times.insert(grant->end);
  }
  for (Layer& layer : room_.layers) {
    if (layer.from_s <= start_s) continue;
    free_layer(engine, layer);
    for (const std::int64_t from_s : times) {
      if (book_layer(engine, layer, from_s)) break;
    }
  }
}

// Who is named may draw what is kept.
void ReservedNodes::name_in_layers(Engine& engine, JobId job, bool named) {
  if (named) {
    insert_once(inside_, job);
  } else if (!erase_one(inside_, job)) {
    return;
  }
  for (Layer& layer : room_.layers) {
    if (layer.from_s >= end_s_) continue;
    const std::int64_t from_s = std::max(layer.from_s, engine.now());
    free_layer(engine, layer);
    [[maybe_unused]] const bool booked = book_layer(engine, layer, from_s);
    assert(booked);
  }
}

// --- Guests

std::expected<void, NoMatch> ReservedNodes::admit(Engine& engine, JobId& next_id,
                                                  PreparedRequest& request, JobId job,
                                                  std::int64_t from_s, std::int64_t before_s) {
  give_back_nodes(engine);
  name_in_layers(engine, job, true);
  const auto match = engine.match_between(request, job, from_s, before_s);
  std::expected<void, NoMatch> out;
  if (match) {
    insert_once(guests_, job);
  } else {
    out = std::unexpected(match.error());
    name_in_layers(engine, job, false);
  }
  book_nodes(engine, next_id);
  return out;
}

bool ReservedNodes::given_back(Engine& engine, JobId& next_id, JobId job) {
  if (!std::ranges::binary_search(guests_, job)) return false;
  const Grant* grant = engine.grant(job);
  if (grant == nullptr || !stands_in_way(engine.graph(), *grant)) {
    erase_one(guests_, job);
    name_in_layers(engine, job, false);
  }
  give_back_nodes(engine);
  find_guests(engine);  // where nothing was booked beside a guest, others may have come
  book_nodes(engine, next_id);
  book_layers(engine);
  return true;
}

Result<void> ReservedNodes::run_on(Engine& engine, JobId& next_id, JobId job,
                                   const std::function<Result<void>()>& set_end) {
  give_back_nodes(engine);
  auto out = set_end();
  const Grant* grant = engine.grant(job);
  if (grant != nullptr && stands_in_way(engine.graph(), *grant)) insert_once(guests_, job);
  book_nodes(engine, next_id);
  return out;
}

void ReservedNodes::find_again(Engine& engine, JobId& next_id) {
  give_back_nodes(engine);
  const ResourceGraph& graph = engine.graph();
  const std::set<std::string_view> wanted(names_.begin(), names_.end());
  room_.nodes.clear();
  for (const PoolId node : graph.of_type(graph.find_type("node"))) {
    if (graph.in_tree(node) && wanted.contains(graph.name(node))) room_.nodes.push_back(node);
  }
  std::ranges::sort(room_.nodes);
  note_above(graph);
  book_nodes(engine, next_id);
}

}  // namespace copse::queue
