// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_builder.hpp"

#include <fmt/format.h>

namespace copse {

namespace {

constexpr std::uint32_t kNone = kNoPool.v;

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
  return intern<TypeId>(names_.types, name, 65'000, "resource types");
}
Result<UnitId> GraphBuilder::unit(std::string_view name) {
  return intern<UnitId>(names_.units, name, 65'000, "units");
}
NameId GraphBuilder::basename(std::string_view name) {
  return NameId{names_.basenames.intern(name)};
}
Result<SubsystemId> GraphBuilder::subsystem(std::string_view name) {
  auto s = intern<SubsystemId>(names_.subsystems, name, 255, "subsystems");
  if (s && roots_.size() <= s->v) roots_.resize(s->v + 1u, kNone);
  return s;
}
Result<RelationId> GraphBuilder::relation(std::string_view name) {
  return intern<RelationId>(names_.relations, name, 65'000, "relations");
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
  types_.reserve(pools);
  units_.reserve(pools);
  basenames_.reserve(pools);
  sizes_.reserve(pools);
  ids_.reserve(pools);
  ranks_.reserve(pools);
  edge_from_.reserve(edges);
  edge_to_.reserve(edges);
  return {};
}

Result<GraphBuilder::Handle> GraphBuilder::add_pool(const PoolSpec& spec) {
  if (types_.size() >= limits_.pools_max) {
    return fail(ErrorCode::limit, fmt::format("more than {} pools", limits_.pools_max));
  }
  if (spec.size < 0) {
    return fail(ErrorCode::invalid,
                fmt::format("a pool's size is {}; it must be 0 or more", spec.size));
  }
  types_.push_back(spec.type);
  units_.push_back(spec.unit);
  basenames_.push_back(spec.basename);
  sizes_.push_back(spec.size);
  ids_.push_back(spec.id);
  ranks_.push_back(spec.rank);
  return static_cast<Handle>(types_.size() - 1);
}

void GraphBuilder::set_property(Handle pool, std::string key, std::string value) {
  properties_[pool].insert_or_assign(std::move(key), std::move(value));
}

void GraphBuilder::set_name(Handle pool, std::string name) {
  own_names_.erase(pool);
  if (name != pool_name(pool)) own_names_.emplace(pool, std::move(name));
}

void GraphBuilder::set_uniq_id(Handle pool, std::int64_t uniq_id) {
  if (own_uniq_ids_.empty() && uniq_id == pool) return;
  for (std::size_t h = own_uniq_ids_.size(); h < types_.size(); ++h) {
    own_uniq_ids_.push_back(static_cast<std::int64_t>(h));
  }
  own_uniq_ids_[pool] = uniq_id;
}

std::string GraphBuilder::pool_name(Handle pool) const {
  if (auto own = own_names_.find(pool); own != own_names_.end()) return own->second;
  std::string out = names_.basenames.text(basenames_[pool].v);
  if (ids_[pool] != -1) out += std::to_string(ids_[pool]);
  return out;
}

Result<void> GraphBuilder::add_edge(Handle from, Handle to, SubsystemId subsystem,
                                    RelationId relation, RelationId reverse) {
  if (edge_from_.size() >= limits_.edges_max) {
    return fail(ErrorCode::limit, fmt::format("more than {} edges", limits_.edges_max));
  }
  if (edge_runs_.empty() || edge_runs_.back().subsystem != subsystem ||
      edge_runs_.back().relation != relation || edge_runs_.back().reverse != reverse) {
    edge_runs_.push_back(
        {static_cast<std::uint32_t>(edge_from_.size()), subsystem, relation, reverse});
  }
  edge_from_.push_back(from);
  edge_to_.push_back(to);
  return {};
}

Result<void> GraphBuilder::set_root(SubsystemId subsystem, Handle pool) {
  if (has_root(subsystem) && root(subsystem) != pool) {
    return fail(ErrorCode::exists,
                fmt::format("subsystem {} has a root already: {}",
                            names_.subsystems.text(subsystem.v), pool_name(root(subsystem))));
  }
  roots_[subsystem.v] = pool;
  return {};
}

bool GraphBuilder::has_root(SubsystemId subsystem) const {
  return subsystem.v < roots_.size() && roots_[subsystem.v] != kNone;
}
GraphBuilder::Handle GraphBuilder::root(SubsystemId subsystem) const { return roots_[subsystem.v]; }

}  // namespace copse
