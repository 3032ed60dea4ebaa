// SPDX-License-Identifier: Apache-2.0
//
// GraphBuilder: collects pools and edges from a reader, in order of creation; build() makes a
// ResourceGraph of them. A reader never sees the final numbering (preorder of the dominant tree).
//
// Size: 26 bytes per pool and 8 bytes per edge while building.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "graph/graph_assembler.hpp"

namespace copse {

// A pool as a reader describes it. Names, paths and uniq_ids are derived (graph.hpp), unless the
// format has its own.
struct PoolSpec {
  TypeId type;
  NameId basename;
  UnitId unit;
  std::int64_t size = 1;
  std::int64_t id = -1;    // -1: no number; the name is the basename alone
  std::int32_t rank = -1;  // -1: none
};

class GraphBuilder {
 public:
  // The number of a pool in order of creation: 0, 1, 2, … It becomes the pool's created().
  using Handle = GraphParts::Handle;

  struct Limits {
    std::uint64_t pools_max = 64u << 20;  // 64 Mi pools: 4 GiB of graph
    std::uint64_t edges_max = 128u << 20;
  };

  GraphBuilder();
  explicit GraphBuilder(Limits limits);

  // Interning. Errors: limit (more than 65,000 types, 65,000 units or 255 subsystems).
  [[nodiscard]] Result<TypeId> type(std::string_view name);
  [[nodiscard]] Result<UnitId> unit(std::string_view name);
  [[nodiscard]] NameId basename(std::string_view name);
  [[nodiscard]] Result<SubsystemId> subsystem(std::string_view name);
  [[nodiscard]] Result<RelationId> relation(std::string_view name);

  // Announces the number of pools and edges, so that bounds are checked before memory is allocated.
  [[nodiscard]] Result<void> expect(std::uint64_t pools, std::uint64_t edges);

  // Adds a pool. Errors: limit; invalid if size < 0.
  [[nodiscard]] Result<Handle> add_pool(const PoolSpec& spec);
  // The next `node`-type pool's rank, counting 0, 1, 2, … in order of creation.
  [[nodiscard]] std::int32_t next_rank() { return next_rank_++; }
  void set_property(Handle pool, std::string key, std::string value);
  void set_name(Handle pool, std::string name);  // kept only if it is not basename + id
  void set_uniq_id(Handle pool, std::int64_t uniq_id);
  void set_down(Handle pool) { parts_.down.push_back(pool); }
  // Makes the type of a pool divisible (graph.hpp); say it of every pool of the type.
  void set_divisible(Handle pool) { ++divisible_[parts_.types[pool]]; }

  // Adds an edge from a pool to a pool in a subsystem; children keep the order of their edges. A
  // repeated edge in the same subsystem is ignored. Consecutive edges with equal relations cost
  // nothing extra. Errors: limit.
  [[nodiscard]] Result<void> add_edge(Handle from, Handle to, SubsystemId subsystem,
                                      RelationId relation = {}, RelationId reverse = {});
  // Two edges in opposite directions between two pools of one subsystem are one relation, said from
  // both ends (RFC 4): removes the one that leads back, and keeps its relation as the reverse of the
  // other. leads_back(from, to, subsystem) → bool says whether an edge does; if it says so of both or
  // of none, the later one does. O(edges), and O(edges · log edges) if edges lead both to later and
  // to earlier pools.
  using LeadsBack = std::function<bool(Handle from, Handle to, SubsystemId subsystem)>;
  void join_opposite_edges(const LeadsBack& leads_back);
  // Makes `pool` the root of a subsystem. Errors: exists, if the subsystem has another root.
  [[nodiscard]] Result<void> set_root(SubsystemId subsystem, Handle pool);
  [[nodiscard]] bool has_root(SubsystemId subsystem) const;
  [[nodiscard]] Handle root(SubsystemId subsystem) const;  // REQUIRES has_root

  [[nodiscard]] std::uint32_t pool_count() const {
    return static_cast<std::uint32_t>(parts_.types.size());
  }
  [[nodiscard]] TypeId pool_type(Handle pool) const { return parts_.types[pool]; }
  [[nodiscard]] const std::string& type_name(TypeId type) const {
    return parts_.names.types.text(type.v);
  }
  [[nodiscard]] std::string pool_name(Handle pool) const { return parts_.pool_name(pool); }

  // Makes the graph (make_graph); the builder is empty afterwards. Errors: those of make_graph;
  // not_found if `dominant` is unknown or has no root; the builder is then unchanged. invalid: only
  // some pools of a type are divisible, or a divisible pool has pools below it.
  [[nodiscard]] Result<ResourceGraph> build(std::string_view dominant = "containment");

 private:
  Limits limits_;
  GraphParts parts_;
  std::int32_t next_rank_ = 0;
  std::map<TypeId, std::uint32_t> divisible_;  // how many pools of the type
};

}  // namespace copse
