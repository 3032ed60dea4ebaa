// SPDX-License-Identifier: Apache-2.0
//
// Pools and hierarchical resources in one match: alternatives come before nodes, and of each the
// walk is given what the supply offers over the window that it asks for.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "engine/impl.hpp"

namespace copse {

namespace {
// Walks that do not take nodes as they go are told afterwards which of them are too many, and walk
// again without those: at most so often.
constexpr int kThinningsMax = 64;
}  // namespace

Result<void> Engine::Impl::resolve_hres(CompiledRequest& compiled, const Request& request) const {
  compiled.supply_structure = supply == nullptr ? 0 : supply->structure();
  compiled.supply_version = supply == nullptr ? 0 : supply->version();
  if (request.hres.empty()) return {};
  if (supply == nullptr) {
    return fail(ErrorCode::invalid,
                fmt::format("there is no resource '{}': no hierarchical resources were loaded",
                            request.hres.items.front().name));
  }
  auto needs = supply->resolve(request.hres);
  if (!needs) return std::unexpected(needs.error());
  compiled.hres = std::move(*needs);
  return {};
}

void Engine::Impl::set_offer(Offer* to, bool taking) {
  if (treepool != nullptr) treepool->set_offer(to);
  if (search != nullptr) search->set_offer(to);
  matcher.set_offer(to, taking);
}

std::int64_t Engine::Impl::nodes_at_least(const CompiledRequest& request) const {
  if (request.treepool == nullptr) {
    const std::int64_t units = request.total_of(node);
    const std::int64_t largest = std::max<std::int64_t>(graph.largest(node), 1);
    return std::max<std::int64_t>((units + largest - 1) / largest, 1);
  }
  const TreepoolRequest& asked = *request.treepool;
  std::int64_t nodes = 1;
  if (asked.by_node && __builtin_mul_overflow(asked.nodes.min, asked.node_factor, &nodes)) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return std::max<std::int64_t>(nodes, 1);
}

bool Engine::Impl::select(const CompiledRequest& request, View view, std::int64_t start,
                          std::int64_t end) {
  supply_unsure = false;
  match.draw.clear();
  if (request.hres.empty()) return select_pools(request, view, start, end);
  const bool found = std::any_of(
      request.hres.alternatives.begin(), request.hres.alternatives.end(),
      [&](const auto& needs) { return select_supplied(request, needs, view, start, end); });
  set_offer(nullptr, false);
  if (!found) match.selection.clear();
  return found;
}

// One alternative. Where nodes are taken as they are found, and the request says how many, what is
// found in one tree is all that there is (its layers let every choice that cannot be added to be a
// largest one); else a failure is a proof only if the supply alone would not do.
bool Engine::Impl::select_supplied(const CompiledRequest& request, std::span<const HresNeed> needs,
                                   View view, std::int64_t start, std::int64_t end) {
  const bool empty = view == View::empty;
  const std::int64_t least = nodes_at_least(request);
  offer->begin(needs, asking, start, end, empty);
  if (offer->hopeless(least) || (empty && offer->too_few(least))) return false;
  const bool exact =
      offer->trees() <= 1 && !offer->uneven() && takes_as_found(request) && !request.drawing;
  if (select_in_block(request, needs, view, start, end, least)) return true;
  bool taking = true;
  for (int pass = 0; pass < kThinningsMax; ++pass) {
    set_offer(offer.get(), taking);
    if (!select_pools(request, view, start, end)) {
      if (!offer->crowded() || exact) return false;
      if (pass == 0 && offer->trees() == 2 && !offer->uneven() && takes_as_found(request) &&
          treepool == nullptr) {
        if (!keep_only_in_two_trees(request, view, start, end, least)) return false;
        supply_unsure = request.drawing;  // what is drawn besides is not part of that choice
        continue;                         // which finds them
      }
      supply_unsure = true;
      if (offer->uneven() && taking) {  // those that draw most took what others could have had
        if (pass + 2 >= kThinningsMax || !offer->refuse_heaviest()) return false;
        offer->again();
        continue;
      }
      if (!taking || treepool != nullptr) return false;
      taking = false;  // what was taken on the way may have been too much
      offer->again();
      continue;
    }
    if (treepool != nullptr && empty) return true;  // which has no selection
    nodes_of(match.selection, with_nodes);
    if (match.selection.empty() || offer->charge(with_nodes, match.draw.charges)) {
      match.draw.needs.assign(needs.begin(), needs.end());
      return true;
    }
    taking = false;
    matcher.sort_by_preference(with_nodes);
    if (!offer->thin_out(with_nodes)) return false;  // no node, or none that is too many
    supply_unsure = true;
  }
  return false;
}

// A resource whose topology is a type of pools: of those that have enough nodes, the one where the
// supply leaves the fewest further ones, as long as what is wanted fits in one.
bool Engine::Impl::select_in_block(const CompiledRequest& request, std::span<const HresNeed> needs,
                                   View view, std::int64_t start, std::int64_t end,
                                   std::int64_t nodes_wanted) {
  TypeId type = kNoType;
  for (const HresNeed& need : needs) {
    const Supply::Resource& resource = supply->resources()[need.resource];
    if (type == kNoType && !resource.topology.empty()) type = graph.find_type(resource.topology);
  }
  if (type == kNoType || view == View::empty) return false;
  struct Block {
    PoolId pool;
    std::int64_t capacity;
  };
  std::vector<Block> blocks;
  std::vector<PoolId> below;
  for (PoolId pool : graph.of_type(type)) {
    if (!graph.in_tree(pool) || graph.leaf(pool) || graph.shape(pool).total(node) <= 0) continue;
    below.clear();
    graph.preorder(pool, [&](PoolId p) {
      if (graph.type(p) == node && state.usable(p)) below.push_back(p);
      return graph.type(p) != node && !graph.leaf(p);
    });
    offer->again();
    const std::int64_t capacity = offer->capacity(below);
    if (capacity >= nodes_wanted) blocks.push_back({pool, capacity});
  }
  if (blocks.size() < 2) return false;
  std::ranges::stable_sort(blocks, {}, &Block::capacity);
  for (const Block& block : blocks) {
    offer->again();
    offer->confine(block.pool);
    set_offer(offer.get(), true);
    bool found = select_pools(request, view, start, end);
    if (found) {
      nodes_of(match.selection, with_nodes);
      found = offer->charge(with_nodes, match.draw.charges);
    }
    offer->confine(kNoPool);
    if (!found) continue;
    match.draw.needs.assign(needs.begin(), needs.end());
    return true;
  }
  offer->again();
  match.selection.clear();
  return false;
}

// Whether the walk takes each node when it is found, and only as many as it needs.
bool Engine::Impl::takes_as_found(const CompiledRequest& request) const {
  if (treepool != nullptr) return request.treepool->by_node && !request.treepool->moldable();
  if (search != nullptr && !request.clash.empty()) return false;
  if (!request.variants.empty() || request.alternatives || graph.has_further_edges()) return false;
  if (options.exhaustive || options.policy.by_runs || options.policy.slots_reversed) return false;
  // A list of nodes, and what is in each: the top level, in slots of one node or in none.
  if (graph.largest(node) > 1) return false;
  const Level* level = &request.levels.front();
  if (request.top != 1) return false;
  if (level->slot && !level->count.moldable() && level->children == 1) {
    level = &request.levels[level->first];
    if (level->most != 1) return false;
  }
  return !level->slot && level->type == node && !level->count.moldable();
}

// Exact for what takes_as_found(): a list of so many nodes.
bool Engine::Impl::keep_only_in_two_trees(const CompiledRequest& request, View view,
                                          std::int64_t start, std::int64_t end,
                                          std::int64_t wanted) {
  const bool inside = request.levels.front().slot;
  const std::uint32_t level = inside ? request.levels.front().first : 0;
  offer->again();
  set_offer(offer.get(), false);
  matcher.candidates(request, level, inside, view, start, end, with_nodes);
  return offer->keep_only_in_two_trees(with_nodes, wanted);
}

// The nodes that a selection takes something of, each once, in preorder.
void Engine::Impl::nodes_of(const Selection& selection, std::vector<PoolId>& out) const {
  out.clear();
  for (const Taken& t : selection.taken) {
    if (graph.type(t.first) == node) {
      for (std::uint32_t v = 0; v < t.count; ++v) out.push_back(PoolId{t.first.v + v});
    } else if (t.whole && !graph.leaf(t.first) && graph.shape(t.first).total(node) > 0) {
      graph.preorder(t.first, [&](PoolId p) {
        if (graph.type(p) == node) out.push_back(p);
        return graph.type(p) != node && !graph.leaf(p);
      });
    }
  }
}

// The next time from `t` on at which something changes and neither the machine's totals nor the
// supply rule the request out. What grants draw changes when their pools do.
std::optional<std::int64_t> Engine::Impl::next_supplied(const CompiledRequest& request,
                                                        std::int64_t duration_s, std::int64_t t) {
  const PoolId root = graph.root();
  const Planner* planner = graph.leaf(root) ? nullptr : state.planner(graph.interior(root));
  allowed_at_root(request);
  for (;;) {
    std::optional<std::int64_t> step = supply->next_edge(t);
    if (planner != nullptr) {
      const auto of_pools = planner->next_step(t);
      if (of_pools && (!step || *of_pools < *step)) step = of_pools;
    }
    if (!step || *step >= options.horizon) return {};
    t = *step;
    const std::int64_t end = t + std::min(duration_s, options.horizon - t);
    std::optional<std::int64_t> at = t;
    if (planner != nullptr && !planner->within(t, end, allowed)) {
      at = planner->earliest_fit(t + 1, duration_s, options.horizon, allowed);
    }
    if (at && bounding) at = openings.next(*at);
    if (at) at = supply_times->earliest(*at);
    if (!at || *at == t) return at;
    t = *at;
  }
}

// --- What the engine does with the supply itself

void Engine::Impl::adopt(std::unique_ptr<Supply> from) {
  if (from == nullptr) return;
  supply = std::move(from);
  offer = std::make_unique<Offer>(graph, *supply);
  supply_times = std::make_unique<SupplyTimes>(*supply);
}

Supply& Engine::Impl::own_supply() {
  if (supply == nullptr) adopt(std::make_unique<Supply>(graph, options.layer_order));
  return *supply;
}

// What a grant is charged, after its nodes or the layers over them have changed.
void Engine::Impl::redraw(Grant& grant) {
  nodes_of(grant.selection, with_nodes);
  offer->redraw(with_nodes, grant.draw);
}

// Whether what grants draw of each resource stays below 2^63 whatever layers there are: what they
// ask for counts, since a layer that is new is charged it even where no other one is.
bool Engine::Impl::draws_fit() {
  std::unordered_map<std::uint32_t, std::int64_t> sums;
  for (const auto& [job, number] : by_job) {
    const Grant& grant = grants[number];
    if (grant.draw.empty()) continue;
    nodes_of(grant.selection, with_nodes);
    for (const HresNeed& need : grant.draw.needs) {
      std::int64_t most = need.count;
      const bool each = supply->resources()[need.resource].mode == 3;
      const auto nodes = static_cast<std::int64_t>(each ? with_nodes.size() : 1);
      std::int64_t& sum = sums[need.resource];
      if (__builtin_mul_overflow(most, nodes, &most) || __builtin_add_overflow(sum, most, &sum)) {
        return false;
      }
    }
  }
  return true;
}

// Changes layers: what grants draw is taken back before, and charged anew afterwards.
template <class Change>
Result<void> Engine::Impl::restructure(Change change) {
  if (!by_job.empty() && !draws_fit()) {
    return fail(ErrorCode::limit,
                "jobs draw too much for layers to change: the sum of what they "
                "are charged exceeds 2^63 - 1");
  }
  auto for_each_draw = [&](auto act) {
    for (const auto& [job, number] : by_job) {
      if (!grants[number].draw.empty()) act(grants[number]);
    }
  };
  for_each_draw([&](Grant& g) { supply->apply(g.job, g.draw.charges, g.start, g.end, -1); });
  auto changed = change();
  for_each_draw([&](Grant& g) {
    if (changed) redraw(g);
    supply->apply(g.job, g.draw.charges, g.start, g.end, 1);
  });
  return changed;
}

Result<void> Engine::add_resources(const SupplySpec& spec, std::string_view file) {
  Supply& supply = impl_->own_supply();
  return impl_->restructure([&] { return supply.add(spec, file); });
}

namespace {
std::unexpected<Error> no_resource(std::string_view resource) {
  return fail(ErrorCode::not_found,
              fmt::format("there is no resource '{}'", resource.substr(0, 200)));
}
}  // namespace

Result<void> Engine::remove_layer(std::string_view resource, std::string_view nodes) {
  if (impl_->supply == nullptr) return no_resource(resource);
  return impl_->restructure([&] { return impl_->supply->remove_layer(resource, nodes); });
}

Result<void> Engine::set_layer_nodes(std::string_view resource, std::string_view nodes,
                                     std::string_view to) {
  if (impl_->supply == nullptr) return no_resource(resource);
  return impl_->restructure([&] { return impl_->supply->set_nodes(resource, nodes, to); });
}

Result<void> Engine::set_layer_count(std::string_view resource, std::string_view nodes,
                                     std::int64_t count) {
  if (impl_->supply == nullptr) return no_resource(resource);
  return impl_->supply->set_count(resource, nodes, count);
}

Result<void> Engine::reserve_layer(const LayerReservation& reservation) {
  if (impl_->supply == nullptr) return no_resource(reservation.resource);
  if (reservation.start < impl_->options.now || reservation.end > impl_->options.horizon) {
    return fail(ErrorCode::invalid, fmt::format("a reservation lies between now ({}) and {}",
                                                impl_->options.now, impl_->options.horizon));
  }
  return impl_->supply->reserve(reservation, [&](JobId job) -> std::optional<Supply::Granted> {
    const Grant* grant = this->grant(job);
    if (grant == nullptr) return {};
    return Supply::Granted{grant->draw.charges, grant->start, grant->end};
  });
}

Result<void> Engine::free_layer(std::string_view id) {
  if (impl_->supply == nullptr) {
    return fail(ErrorCode::not_found, fmt::format("there is no reservation {}", id.substr(0, 200)));
  }
  return impl_->supply->free(id);
}

std::optional<std::int64_t> Engine::next_layer_change(std::int64_t t) const {
  return impl_->supply == nullptr ? std::nullopt : impl_->supply->next_edge(t);
}

std::vector<LayerView> Engine::layers(std::int64_t at) const {
  if (impl_->supply == nullptr) return {};
  return impl_->supply->view(at);
}

std::string Engine::draw_text(const Draw& draw) const {
  return impl_->supply == nullptr ? std::string() : impl_->supply->text(draw);
}

}  // namespace copse
