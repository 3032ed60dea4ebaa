// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_builder.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace copse {

namespace {

// Interns `name` in at most `max` words.
template <class IdType>
Result<IdType> intern(Interner& words, std::string_view name, std::uint32_t max, const char* what) {
  const std::uint32_t known = words.find(name);
  if (known == Interner::kNone && words.size() >= max) {
    return fail(ErrorCode::limit, fmt::format("more than {} {}", max, what));
  }
  return IdType{static_cast<typename IdType::rep>(words.intern(name))};
}

}  // namespace

GraphBuilder::GraphBuilder() : GraphBuilder(Limits{}) {}
GraphBuilder::GraphBuilder(Limits limits) : limits_(limits) {}

Result<TypeId> GraphBuilder::type(std::string_view name) {
  return intern<TypeId>(parts_.names.types, name, 65'000, "resource types");
}
Result<UnitId> GraphBuilder::unit(std::string_view name) {
  return intern<UnitId>(parts_.names.units, name, 65'000, "units");
}
NameId GraphBuilder::basename(std::string_view name) {
  return NameId{parts_.names.basenames.intern(name)};
}
Result<SubsystemId> GraphBuilder::subsystem(std::string_view name) {
  auto s = intern<SubsystemId>(parts_.names.subsystems, name, 255, "subsystems");
  if (s && parts_.roots.size() <= s->v) parts_.roots.resize(s->v + 1u, kNoPool.v);
  return s;
}
Result<RelationId> GraphBuilder::relation(std::string_view name) {
  return intern<RelationId>(parts_.names.relations, name, 65'000, "relations");
}

Result<void> GraphBuilder::expect(std::uint64_t pools, std::uint64_t edges) {
  if (pools > limits_.pools_max) {
    return fail(ErrorCode::limit,
                fmt::format("{} pools asked for; the limit is {}", pools, limits_.pools_max));
  }
  if (edges > limits_.edges_max) {
    return fail(ErrorCode::limit,
                fmt::format("{} edges asked for; the limit is {}", edges, limits_.edges_max));
  }
  std::apply([&](auto&... column) { (column.reserve(pools), ...); }, parts_.columns());
  parts_.edge_from.reserve(edges);
  parts_.edge_to.reserve(edges);
  return {};
}

Result<GraphBuilder::Handle> GraphBuilder::add_pool(const PoolSpec& spec) {
  if (parts_.types.size() >= limits_.pools_max) {
    return fail(ErrorCode::limit, fmt::format("more than {} pools", limits_.pools_max));
  }
  if (spec.size < 0) {
    return fail(ErrorCode::invalid,
                fmt::format("a pool's size is {}; it must be 0 or more", spec.size));
  }
  parts_.types.push_back(spec.type);
  parts_.units.push_back(spec.unit);
  parts_.basenames.push_back(spec.basename);
  parts_.sizes.push_back(spec.size);
  parts_.ids.push_back(spec.id);
  parts_.ranks.push_back(spec.rank);
  return static_cast<Handle>(parts_.types.size() - 1);
}

void GraphBuilder::set_property(Handle pool, std::string key, std::string value) {
  parts_.properties[pool].insert_or_assign(std::move(key), std::move(value));
}

void GraphBuilder::set_name(Handle pool, std::string name) {
  parts_.own_names.erase(pool);
  if (name != pool_name(pool)) parts_.own_names.emplace(pool, std::move(name));
}

void GraphBuilder::set_uniq_id(Handle pool, std::int64_t uniq_id) {
  if (parts_.own_uniq_ids.empty() && uniq_id == pool) return;
  for (std::size_t h = parts_.own_uniq_ids.size(); h < parts_.types.size(); ++h) {
    parts_.own_uniq_ids.push_back(static_cast<std::int64_t>(h));
  }
  parts_.own_uniq_ids[pool] = uniq_id;
}

Result<void> GraphBuilder::add_edge(Handle from, Handle to, SubsystemId subsystem,
                                    RelationId relation, RelationId reverse) {
  if (parts_.edge_from.size() >= limits_.edges_max) {
    return fail(ErrorCode::limit, fmt::format("more than {} edges", limits_.edges_max));
  }
  if (parts_.edge_runs.empty() || parts_.edge_runs.back().subsystem != subsystem ||
      parts_.edge_runs.back().relation != relation || parts_.edge_runs.back().reverse != reverse) {
    parts_.edge_runs.push_back(
        {static_cast<std::uint32_t>(parts_.edge_from.size()), subsystem, relation, reverse});
  }
  parts_.edge_from.push_back(from);
  parts_.edge_to.push_back(to);
  return {};
}

namespace {

struct FullEdge {
  std::uint32_t from, to;
  SubsystemId subsystem;
  RelationId relation, reverse;
};

// A name for an edge and its opposite, as an order.
auto ends_of(const FullEdge& e) {
  return std::tuple(std::min(e.from, e.to), std::max(e.from, e.to), e.subsystem.v);
}

std::vector<FullEdge> full_edges(const GraphParts& parts) {
  std::vector<FullEdge> out;
  out.reserve(parts.edge_from.size());
  std::size_t run = 0;
  for (std::size_t e = 0; e < parts.edge_from.size(); ++e) {
    while (run + 1 < parts.edge_runs.size() && parts.edge_runs[run + 1].first <= e) ++run;
    const GraphParts::EdgeRun& of = parts.edge_runs[run];
    out.push_back({parts.edge_from[e], parts.edge_to[e], of.subsystem, of.relation, of.reverse});
  }
  return out;
}

}  // namespace

void GraphBuilder::join_opposite_edges(const LeadsBack& leads_back) {
  std::uint64_t up = 0;  // edges to later pools
  for (std::size_t e = 0; e < parts_.edge_from.size(); ++e) {
    up += parts_.edge_from[e] < parts_.edge_to[e] ? 1 : 0;
  }
  if (up == 0 || up == parts_.edge_from.size()) return;
  std::vector<FullEdge> edges = full_edges(parts_);
  std::vector<std::uint32_t> order(edges.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t e) { return ends_of(edges[e]); });
  std::vector<bool> removed(edges.size());
  bool any = false;
  for (std::size_t i = 0, end = 0; i < order.size(); i = end) {
    while (end < order.size() && ends_of(edges[order[end]]) == ends_of(edges[order[i]])) ++end;
    FullEdge& first = edges[order[i]];
    const auto other = std::find_if(order.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                    order.begin() + static_cast<std::ptrdiff_t>(end),
                                    [&](std::uint32_t e) { return edges[e].from == first.to; });
    if (first.from == first.to || other == order.begin() + static_cast<std::ptrdiff_t>(end)) {
      continue;
    }
    FullEdge& second = edges[*other];
    const bool swapped = leads_back(first.from, first.to, first.subsystem) &&
                         !leads_back(second.from, second.to, second.subsystem);
    FullEdge& kept = swapped ? second : first;
    const FullEdge& back = swapped ? first : second;
    if (back.relation != kept.relation) kept.reverse = back.relation;
    for (std::size_t j = i; j < end; ++j) removed[order[j]] = edges[order[j]].from == back.from;
    any = true;
  }
  if (!any) return;
  parts_.edge_from.clear();
  parts_.edge_to.clear();
  parts_.edge_runs.clear();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const FullEdge& edge = edges[e];
    if (removed[e]) continue;
    (void)add_edge(edge.from, edge.to, edge.subsystem, edge.relation, edge.reverse);
  }
}

Result<void> GraphBuilder::set_root(SubsystemId subsystem, Handle pool) {
  if (has_root(subsystem) && root(subsystem) != pool) {
    return fail(ErrorCode::exists,
                fmt::format("subsystem {} has a root already: {}",
                            parts_.names.subsystems.text(subsystem.v), pool_name(root(subsystem))));
  }
  parts_.roots[subsystem.v] = pool;
  return {};
}

bool GraphBuilder::has_root(SubsystemId subsystem) const {
  return subsystem.v < parts_.roots.size() && parts_.roots[subsystem.v] != kNoPool.v;
}
GraphBuilder::Handle GraphBuilder::root(SubsystemId subsystem) const {
  return parts_.roots[subsystem.v];
}

Result<ResourceGraph> GraphBuilder::build(std::string_view dominant) {
  const std::uint32_t found = parts_.names.subsystems.find(dominant);
  const SubsystemId subsystem{static_cast<std::uint8_t>(found)};
  if (found == Interner::kNone || !has_root(subsystem)) {
    return fail(ErrorCode::not_found,
                fmt::format("no subsystem named {} with a root in this graph", dominant));
  }
  for (const auto& [type, marked] : divisible_) {
    const auto all = std::ranges::count(parts_.types, type);
    if (all == marked) continue;
    return fail(ErrorCode::invalid,
                fmt::format("{} of {} pools of type {} are divisible: make it all or none", marked,
                            all, parts_.names.types.text(type.v)));
  }
  auto made = make_graph(std::move(parts_), subsystem);
  const auto divisible = std::move(divisible_);
  *this = GraphBuilder(limits_);
  for (const auto& [type, marked] : divisible) {
    if (!made) break;
    if (auto ok = made->set_divisible(type); !ok) return std::unexpected(ok.error());
  }
  return made;
}

}  // namespace copse
