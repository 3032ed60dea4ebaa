// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_builder.hpp"

#include <utility>

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
  auto made = make_graph(std::move(parts_), subsystem);
  *this = GraphBuilder(limits_);
  return made;
}

}  // namespace copse
