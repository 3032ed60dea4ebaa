// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/reserved_nodes.hpp"

#include <algorithm>
#include <cassert>
#include <set>

#include <fmt/format.h>

#include "base/job_id.hpp"

namespace copse::queue {

namespace {

// The node that contains a pool, or is the pool; kNoPool if there is none.
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

ReservedNodes::ReservedNodes(std::int64_t start_s, std::int64_t end_s, Resources resources,
                             std::string name, const ResourceGraph& graph)
    : start_s_(start_s), end_s_(end_s), resources_(std::move(resources)) {
  assert(start_s < end_s && std::ranges::is_sorted(resources_.nodes));
  for (const PoolId node : nodes()) names_.push_back(graph.name(node));
  note_above(graph);
  for (std::size_t i = 0; i < resources_.layers.size(); ++i) {
    resources_.layers[i].id = fmt::format("{} {} {}", name, start_s, i);
    resources_.layers[i].from_s = end_s;
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

// The reserved nodes with resources of the grant.
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

std::vector<JobId> ReservedNodes::overlapping_jobs(const Engine& engine) const {
  std::vector<JobId> out;
  std::ranges::copy_if(overlapping_jobs_, std::back_inserter(out),
                       [&](JobId job) { return engine.grant(job) != nullptr; });
  return out;
}

bool ReservedNodes::conflicts_with(const ResourceGraph& graph, const Grant& grant) const {
  if (!overlaps(grant.start, grant.end)) return false;
  if (!resources_.layers.empty() && !grant.charges.empty()) return true;
  return !nodes_of(graph, grant).empty();
}

std::vector<ReservationLoss> ReservedNodes::losses(const Engine& engine) const {
  std::vector<ReservationLoss> out;
  for (const JobId job : overlapping_jobs_) {
    const Grant* grant = engine.grant(job);
    if (grant == nullptr || grant->start > engine.now() || grant->end <= start_s_) continue;
    const std::int64_t from_s = std::max(start_s_, engine.now());
    out.push_back({job, nodes_of(engine.graph(), *grant), from_s, std::min(grant->end, end_s_)});
  }
  return out;
}

// --- Booking

ReservedNodes::Resources ReservedNodes::resources_of(const BookedOccurrence& was,
                                                     const ResourceGraph& graph) {
  Resources resources;
  const std::set<std::string_view> names(was.nodes.begin(), was.nodes.end());
  for (const PoolId node : graph.of_type(graph.find_type("node"))) {
    if (graph.in_tree(node) && names.contains(graph.name(node))) resources.nodes.push_back(node);
  }
  std::ranges::sort(resources.nodes);
  for (const auto& [resource, nodes, amount] : was.layers) {
    resources.layers.push_back({.resource = resource, .nodes = nodes, .amount = amount});
  }
  return resources;
}

BookedOccurrence ReservedNodes::booked() const {
  BookedOccurrence out{start_s_, names_, {}};
  for (const Layer& layer : resources_.layers) {
    out.layers.push_back({layer.resource, layer.nodes, layer.amount});
  }
  return out;
}

// Grants of two reservations never conflict, so a grant with an id of reservations that does is one
// that others made before the queue existed.
void ReservedNodes::find_overlapping_jobs(const Engine& engine) {
  for (const JobId job : engine.jobs()) {
    if (std::ranges::binary_search(grants_, job)) continue;
    if (conflicts_with(engine.graph(), *engine.grant(job))) insert_once(overlapping_jobs_, job);
  }
}

void ReservedNodes::resume(Engine& engine, std::vector<JobId> admitted) {
  assert(grants_.empty());
  for (const JobId id : engine.jobs()) {
    const Grant& grant = *engine.grant(id);
    const bool own = is_reservation(id) && overlaps(grant.start, grant.end);
    if (own && has_nodes_of(engine.graph(), grant)) grants_.push_back(id);
  }
  std::ranges::sort(grants_);
  find_overlapping_jobs(engine);
  std::ranges::sort(admitted);
  admitted_ = std::move(admitted);
  for (const Layer& layer : resources_.layers) {
    [[maybe_unused]] const auto gone =
        engine.free_layer(layer.id);  // not booked, if it had to wait
  }
  book_layers(engine);
}

void ReservedNodes::book(Engine& engine, JobId& next_id) {
  assert(grants_.empty());
  find_overlapping_jobs(engine);
  book_nodes(engine, next_id);
  book_layers(engine);
}

ReservedNodes::Holds ReservedNodes::holds(const Engine& engine) const {
  Holds out;
  for (const JobId job : overlapping_jobs_) {
    const Grant* grant = engine.grant(job);
    if (grant == nullptr) continue;
    for (const ExpandedPool& pool : pools_of(engine.graph(), *grant)) {
      out[pool.pool.v].push_back({{grant->start, grant->end}, pool.exclusive});
    }
  }
  return out;
}

ReservedNodes::Held ReservedNodes::held_at(const std::vector<Hold>& holds, std::int64_t time_s) {
  Held out = Held::no;
  for (const Hold& hold : holds) {
    if (time_s < hold.time.from_s || time_s >= hold.time.until_s) continue;
    if (hold.all) return Held::all;
    out = Held::below;
  }
  return out;
}

// The parts of a time in which overlapping jobs hold the same of a pool.
std::vector<std::pair<ReservedNodes::Time, ReservedNodes::Held>> ReservedNodes::times_of(
    const Holds& holds, PoolId pool, const Time& in) {
  const auto held = holds.find(pool.v);
  if (held == holds.end()) return {{in, Held::no}};
  std::set<std::int64_t> changes{in.from_s};
  for (const Hold& hold : held->second) {
    for (const std::int64_t time_s : {hold.time.from_s, hold.time.until_s}) {
      if (time_s > in.from_s && time_s < in.until_s) changes.insert(time_s);
    }
  }
  std::vector<std::pair<Time, Held>> out;
  for (const std::int64_t from_s : changes) {
    const Held now = held_at(held->second, from_s);
    if (out.empty() || out.back().second != now) {
      if (!out.empty()) out.back().first.until_s = from_s;
      out.push_back({{from_s, in.until_s}, now});
    }
  }
  return out;
}

// Collects the parts of a pool by the times in which they are free. The recursion is as deep as the
// graph below a node.
void ReservedNodes::add_parts(const ResourceGraph& graph, const Holds& holds, PoolId pool,
                              const Time& in, Parts& out) const {
  for (const auto& [time, held] : times_of(holds, pool, in)) {
    if (held == Held::no) out[time].push_back(pool);
    if (held != Held::below) continue;
    for (const PoolId child : graph.children(pool)) add_parts(graph, holds, child, time, out);
  }
}

// Those of a node, in times in which no pool above it is held as a whole.
void ReservedNodes::add_node(const ResourceGraph& graph, const Holds& holds, PoolId node,
                             PoolId above, const Time& in, Parts& out) const {
  if (above == kNoPool) return add_parts(graph, holds, node, in, out);
  for (const auto& [time, held] : times_of(holds, above, in)) {
    if (held != Held::all) add_node(graph, holds, node, graph.parent(above), time, out);
  }
}

// If a grant outside the queue begins later, booking fails. A job that was promised that time then
// counts as an overlapping job.
void ReservedNodes::book_nodes(Engine& engine, JobId& next_id) {
  if (book_free(engine, next_id)) return;
  release_nodes(engine);
  find_overlapping_jobs(engine);
  [[maybe_unused]] const bool booked = book_free(engine, next_id);
  assert(booked);
}

// Books everything that overlapping jobs leave; returns false if that fails.
bool ReservedNodes::book_free(Engine& engine, JobId& next_id) {
  const ResourceGraph& graph = engine.graph();
  const Holds held = holds(engine);
  const Time all{std::max(start_s_, engine.now()), end_s_};
  if (all.from_s >= all.until_s) return true;
  Parts parts;
  for (const PoolId node : nodes()) add_node(graph, held, node, graph.parent(node), all, parts);
  for (const auto& [time, pools] : parts) {
    while (engine.grant(next_id) != nullptr) ++next_id;  // grants of others, from before this queue
    const auto made = engine.update(next_id, pools, time.from_s, time.until_s - time.from_s);
    if (!made) return false;
    grants_.push_back(next_id++);
  }
  return true;
}

void ReservedNodes::release_nodes(Engine& engine) {
  for (const JobId id : grants_) {
    [[maybe_unused]] const auto gone = engine.cancel(id);  // no grant, if its time has passed
  }
  grants_.clear();
}

void ReservedNodes::release(Engine& engine) {
  release_nodes(engine);
  for (Layer& layer : resources_.layers) {
    free_layer(engine, layer);
  }
  overlapping_jobs_.clear();
}

// --- Layers

void ReservedNodes::free_layer(Engine& engine, Layer& layer) const {
  if (layer.from_s >= end_s_) return;
  [[maybe_unused]] const auto gone =
      engine.free_layer(layer.id);  // not booked, if its time has passed
  layer.from_s = end_s_;
}

bool ReservedNodes::book_layer(Engine& engine, Layer& layer, std::int64_t from_s) {
  const auto done = engine.reserve_layer({.id = layer.id,
                                          .resource = layer.resource,
                                          .nodes = layer.nodes,
                                          .count = layer.amount,
                                          .start = from_s,
                                          .end = end_s_,
                                          .jobs = admitted_});
  if (done) layer.from_s = from_s;
  return done.has_value();
}

// Amounts that running jobs charge beyond the start are booked when enough of these jobs have
// ended.
void ReservedNodes::book_layers(Engine& engine) {
  if (resources_.layers.empty()) return;
  const std::int64_t start_s = std::max(start_s_, engine.now());
  std::set<std::int64_t> times{start_s};
  for (const JobId job : overlapping_jobs_) {
    const Grant* grant = engine.grant(job);
    if (grant != nullptr && grant->end > start_s && grant->end < end_s_) times.insert(grant->end);
  }
  for (Layer& layer : resources_.layers) {
    if (layer.from_s <= start_s) continue;
    free_layer(engine, layer);
    for (const std::int64_t from_s : times) {
      if (book_layer(engine, layer, from_s)) break;
    }
  }
}

// Named jobs may charge the reserved amounts.
void ReservedNodes::set_layer_access(Engine& engine, JobId job, bool named) {
  if (named) {
    insert_once(admitted_, job);
  } else if (!erase_one(admitted_, job)) {
    return;
  }
  for (Layer& layer : resources_.layers) {
    if (layer.from_s >= end_s_) continue;
    const std::int64_t from_s = std::max(layer.from_s, engine.now());
    free_layer(engine, layer);
    [[maybe_unused]] const bool booked = book_layer(engine, layer, from_s);
    assert(booked);
  }
}

// --- Overlapping jobs

std::expected<void, NoMatch> ReservedNodes::admit(Engine& engine, JobId& next_id,
                                                  PreparedRequest& request, JobId job,
                                                  std::int64_t from_s, std::int64_t before_s) {
  release_nodes(engine);
  set_layer_access(engine, job, true);
  const auto match = engine.match_between(request, job, from_s, before_s);
  std::expected<void, NoMatch> out;
  if (match) {
    insert_once(overlapping_jobs_, job);
  } else {
    out = std::unexpected(match.error());
    set_layer_access(engine, job, false);
  }
  book_nodes(engine, next_id);
  return out;
}

bool ReservedNodes::job_released(Engine& engine, JobId& next_id, JobId job) {
  if (!std::ranges::binary_search(overlapping_jobs_, job)) return false;
  const Grant* grant = engine.grant(job);
  if (grant == nullptr || !conflicts_with(engine.graph(), *grant)) {
    erase_one(overlapping_jobs_, job);
    set_layer_access(engine, job, false);
  }
  release_nodes(engine);
  find_overlapping_jobs(engine);  // where no pool was booked, other jobs may have come
  book_nodes(engine, next_id);
  book_layers(engine);
  return true;
}

Result<void> ReservedNodes::extend(Engine& engine, JobId& next_id, JobId job,
                                   const std::function<Result<void>()>& set_end) {
  release_nodes(engine);
  auto out = set_end();
  const Grant* grant = engine.grant(job);
  if (grant != nullptr && conflicts_with(engine.graph(), *grant))
    insert_once(overlapping_jobs_, job);
  book_nodes(engine, next_id);
  return out;
}

void ReservedNodes::refresh_nodes(Engine& engine, JobId& next_id) {
  release_nodes(engine);
  const ResourceGraph& graph = engine.graph();
  const std::set<std::string_view> wanted(names_.begin(), names_.end());
  resources_.nodes.clear();
  for (const PoolId node : graph.of_type(graph.find_type("node"))) {
    if (graph.in_tree(node) && wanted.contains(graph.name(node))) resources_.nodes.push_back(node);
  }
  std::ranges::sort(resources_.nodes);
  note_above(graph);
  book_nodes(engine, next_id);
}

}  // namespace copse::queue
