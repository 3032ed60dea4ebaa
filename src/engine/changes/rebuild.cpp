// SPDX-License-Identifier: Apache-2.0
#include "engine/changes/rebuild.hpp"

#include <algorithm>
#include <utility>

#include "graph/graph_builder.hpp"

namespace copse {

bool widens(const ResourceGraph& graph, PoolId parent, std::span<const NewPool> pools) {
  if (parent.v >= graph.pool_count() || !graph.in_tree(parent) || graph.leaf(parent)) return false;
  std::vector<TypeId> types;
  for (const NewPool& p : pools) types.push_back(p.type);
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  for (PoolId up = parent; up != kNoPool; up = graph.parent(up)) {
    const Shape& shape = graph.shape(up);
    for (TypeId t : types) {
      if (shape.total_index(t) < 0) return true;
    }
  }
  return false;
}

namespace {

// Maps the names of one graph to those of another builder; each is looked up once.
class Words {
 public:
  Words(const Names& from, GraphBuilder& to) : from_(from), to_(to) {}

  Result<TypeId> type(TypeId t) { return to_.type(from_.types.text(t.v)); }
  Result<UnitId> unit(UnitId u) { return to_.unit(from_.units.text(u.v)); }
  NameId basename(NameId n) { return to_.basename(from_.basenames.text(n.v)); }

  template <class Pool>
  Result<PoolSpec> spec(const Pool& p) {
    auto t = type(p.type);
    if (!t) return std::unexpected(t.error());
    auto u = unit(p.unit);
    if (!u) return std::unexpected(u.error());
    return PoolSpec{*t, basename(p.basename), *u, p.size, p.id, p.rank};
  }

 private:
  const Names& from_;
  GraphBuilder& to_;
};

// Adds all of a graph except the pools `without` to a builder, in their order of creation; returns
// their handles by pool number, kNoPool.v of pools that are left out. Errors: limit.
Result<std::vector<GraphBuilder::Handle>> give_to(const ResourceGraph& graph,
                                                  const PoolMarks& without, GraphBuilder& builder) {
  std::vector<PoolId> order;
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    if (!graph.removed(PoolId{v}) && !without.contains(v)) order.push_back(PoolId{v});
  }
  std::sort(order.begin(), order.end(),
            [&](PoolId a, PoolId b) { return graph.created(a) < graph.created(b); });
  if (auto ok = builder.expect(order.size(), graph.edge_count()); !ok) {
    return std::unexpected(ok.error());
  }
  // Names keep their numbers, and so the type order.
  const Names& names = graph.names();
  for (std::uint32_t t = 0; t < names.types.size(); ++t) {
    if (auto ok = builder.type(names.types.text(t)); !ok) return std::unexpected(ok.error());
  }
  for (std::uint32_t s = 0; s < graph.subsystem_count(); ++s) {
    auto ok = builder.subsystem(names.subsystems.text(s));
    if (!ok) return std::unexpected(ok.error());
  }
  Words words(names, builder);
  std::vector<GraphBuilder::Handle> handles(graph.pool_count(), kNoPool.v);
  for (PoolId p : order) {
    const PoolSpec own{graph.type(p), graph.basename(p), graph.unit(p),
                       graph.size(p), graph.id(p),       graph.rank(p)};
    auto spec = words.spec(own);
    if (!spec) return std::unexpected(spec.error());
    auto handle = builder.add_pool(*spec);
    if (!handle) return std::unexpected(handle.error());
    handles[p.v] = *handle;
    builder.set_uniq_id(*handle, graph.uniq_id(p));
    if (graph.has_own_name(p)) builder.set_name(*handle, graph.name(p));
    if (const auto* properties = graph.properties(p)) {
      for (const auto& [key, value] : *properties) builder.set_property(*handle, key, value);
    }
  }
  // Of several edges into a pool the last one determines its path: in the tree the others are added
  // first; in further subsystems that edge is added again.
  Result<void> edges{};
  auto give = [&](const Edge& e) {
    if (!edges || handles[e.from.v] == kNoPool.v || handles[e.to.v] == kNoPool.v) return;
    auto relation = builder.relation(names.relations.text(e.relation.v));
    auto reverse = builder.relation(names.relations.text(e.reverse.v));
    if (!relation || !reverse) {
      edges = std::unexpected(relation ? reverse.error() : relation.error());
      return;
    }
    edges = builder.add_edge(handles[e.from.v], handles[e.to.v], e.subsystem, *relation, *reverse);
  };
  auto gives_path = [&](const Edge& e) { return graph.parent_in(e.to, e.subsystem) == e.from; };
  graph.for_each_edge([&](const Edge& e) {
    if (e.subsystem != graph.dominant() || !gives_path(e)) give(e);
  });
  graph.for_each_edge([&](const Edge& e) {
    if (gives_path(e)) give(e);
  });
  if (!edges) return std::unexpected(edges.error());
  for (std::uint32_t s = 0; s < graph.subsystem_count(); ++s) {
    const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
    const PoolId root = graph.subsystem_root(subsystem);
    if (root == kNoPool) continue;
    if (auto ok = builder.set_root(subsystem, handles[root.v]); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return handles;
}

// Adds attached pools to a builder. `next_uniq_id`: for pools without a uniq_id.
Result<void> give_to(const ResourceGraph& graph, GraphBuilder::Handle parent,
                     std::span<const NewPool> pools, std::int64_t& next_uniq_id,
                     GraphBuilder& builder) {
  Words words(graph.names(), builder);
  std::vector<GraphBuilder::Handle> handles;
  for (const NewPool& p : pools) {
    if (p.parent != NewPool::kAttached && p.parent >= handles.size()) {
      return fail(ErrorCode::invalid, "what is attached must be one subtree, in preorder");
    }
    auto spec = words.spec(p);
    if (!spec) return std::unexpected(spec.error());
    auto handle = builder.add_pool(*spec);
    if (!handle) return std::unexpected(handle.error());
    const std::int64_t uniq_id = p.uniq_id >= 0 ? p.uniq_id : next_uniq_id;
    builder.set_uniq_id(*handle, uniq_id);
    if (uniq_id < INT64_MAX) next_uniq_id = std::max(next_uniq_id, uniq_id + 1);
    if (!p.name.empty()) builder.set_name(*handle, p.name);
    for (const auto& [key, value] : p.properties) builder.set_property(*handle, key, value);
    if (p.down) builder.set_down(*handle);
    const GraphBuilder::Handle from = p.parent == NewPool::kAttached ? parent : handles[p.parent];
    if (auto ok = builder.add_edge(from, *handle, graph.dominant()); !ok) return ok;
    handles.push_back(*handle);
  }
  return {};
}

// Translates a selection to another graph; `to` maps the numbers.
Selection translated(const Selection& selection, const std::vector<PoolId>& to,
                     const ResourceGraph& graph) {
  Selection out;
  for (const SelectedPools& t : selection.taken) {
    for (std::uint32_t v = t.first.v; v < t.first.v + t.count; ++v) {
      // A leaf may have pools below it now.
      out.taken.push_back({to[v], 1, t.exclusive, t.whole, t.hidden});
    }
  }
  std::sort(out.taken.begin(), out.taken.end(),
            [&](const SelectedPools& a, const SelectedPools& b) {
              return graph.before(a.first, b.first);
            });
  for (const PoolAmount& amount : selection.amounts) {
    out.amounts.push_back({to[amount.pool.v], amount.units});
  }
  std::sort(out.amounts.begin(), out.amounts.end(),
            [&](const PoolAmount& a, const PoolAmount& b) { return graph.before(a.pool, b.pool); });
  for (const auto& [pool, parent] : selection.moved) {
    out.moved.emplace_back(to[pool.v], to[parent.v]);
  }
  std::sort(out.moved.begin(), out.moved.end());
  return out;
}

}  // namespace

Result<Rebuilt> build_again(const EngineParts& old, std::span<const NewSubtree> subtrees,
                            const PoolMarks& without) {
  for (const NewSubtree& subtree : subtrees) {
    const PoolId parent = subtree.parent;
    if (parent.v < old.graph.pool_count() && old.graph.in_tree(parent)) continue;
    return fail(ErrorCode::invalid, "the pool to attach to is not in the machine");
  }
  GraphBuilder builder;
  auto handles = give_to(old.graph, without, builder);
  if (!handles) return std::unexpected(handles.error());
  std::int64_t next_uniq_id = old.graph.next_uniq_id();
  for (const NewSubtree& subtree : subtrees) {
    auto given =
        give_to(old.graph, (*handles)[subtree.parent.v], subtree.pools, next_uniq_id, builder);
    if (!given) return std::unexpected(given.error());
  }
  auto next = builder.build(old.graph.subsystem_name(old.graph.dominant()));
  if (!next) return std::unexpected(next.error());
  next->keep_largest(old.graph);
  for (const TypeId type : old.graph.divisible_types()) {
    if (auto ok = next->set_divisible(type); !ok) return std::unexpected(ok.error());
  }
  auto tracked = PruneFilters::parse(old.options.prune_filters, *next, &old.filters);
  if (!tracked) return std::unexpected(tracked.error());

  std::vector<PoolId> by_created(next->pool_count());
  for (std::uint32_t v = 0; v < next->pool_count(); ++v) {
    by_created[next->created(PoolId{v})] = PoolId{v};
  }
  std::vector<PoolId> to(old.graph.pool_count(), kNoPool);
  for (std::uint32_t v = 0; v < old.graph.pool_count(); ++v) {
    const PoolId p{v};
    if (old.graph.removed(p) || without.contains(v)) continue;
    to[v] = by_created[(*handles)[v]];
    if (const auto* tags = old.graph.tags(p)) {
      for (const auto& [key, value] : *tags) next->set_tag(to[v], key, value);
    }
    for (std::uint32_t s = 0; s < old.graph.subsystem_count(); ++s) {
      const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
      if (const std::string* path = old.graph.own_path(p, subsystem)) {
        next->set_own_path(to[v], subsystem, *path);
      }
    }
  }
  auto made = EngineParts::make(std::move(*next), old.options, std::move(*tracked), old.layouts);
  if (!made) return std::unexpected(made.error());
  return Rebuilt{std::move(*made), std::move(to)};
}

Result<void> rebuild(std::unique_ptr<EngineParts>& parts, std::span<const NewSubtree> subtrees) {
  auto rebuilt = build_again(*parts, subtrees, {});
  if (!rebuilt) return std::unexpected(rebuilt.error());
  const std::int64_t before = parts->usable_nodes();
  move_to(std::move(*rebuilt), parts);
  parts->growth.note_nodes(before, parts->usable_nodes());
  return {};
}

void move_to(Rebuilt rebuilt, std::unique_ptr<EngineParts>& parts) {
  const EngineParts& old = *parts;
  std::unique_ptr<EngineParts> made = std::move(rebuilt.parts);
  const std::vector<PoolId>& to = rebuilt.to;
  if (old.channels != nullptr) {
    made->adopt(std::make_unique<Channels>(made->graph, *old.channels));
  }
  made->graph_version = old.graph_version + 1;
  made->growth = old.growth;
  made->growth.renumber(to);
  made->users = old.users;
  made->grant_events = old.grant_events;
  made->grants = old.grants;
  made->grants.for_each([&](std::uint32_t number, Grant& grant) {
    grant.selection = translated(grant.selection, to, made->graph);
    for (PoolCharge& d : grant.charges.pools) d.pool = to[d.pool.v];
    for (CapacityCharge& c : grant.charges.capacities) c.pool = to[c.pool.v];
    // Layers are charged already, and move with the table.
    const std::vector<HresNeed> needs = std::exchange(grant.charges.needs, {});
    made->apply(number, 1);
    grant.charges.needs = needs;
  });
  for (std::uint32_t v = 0; v < old.graph.pool_count(); ++v) {
    const PoolId p{v};
    if (to[v] == kNoPool) continue;
    if (old.state.status(p) != Status::up) made->set_status(to[v], old.state.status(p));
    if (old.graph.leaf(p) || made->graph.leaf(to[v]) || !old.graph.in_tree(p)) continue;
    made->search.walks().simple().exploration().set_weight(
        made->graph.interior(to[v]),
        old.search.walks().simple().exploration().weight_of(old.graph.interior(p)));
  }
  for (PoolId p : made->graph.initially_down()) made->set_status(p, Status::down);
  if (old.hres != nullptr) old.hres->own_numbers().rebind(made->graph, to);
  made->adopt(std::move(parts->hres));
  made->effects = std::move(parts->effects);
  parts = std::move(made);
}

}  // namespace copse
