// SPDX-License-Identifier: Apache-2.0
#include "save/graph_codec.hpp"

#include "save/fields.hpp"

namespace copse {

namespace {

void describe_relations(auto& io, auto& runs) {
  io.list(runs, 3, [&](auto& run) { io.parts(run.first, run.relation, run.reverse); });
}

// `edges_left`: limit for these pools and all further ones.
void describe_pools(auto& io, auto& pools, std::uint64_t& edges_left) {
  io.column(pools, edges_left);
  edges_left -= pools.size();
}

using Parents = decltype(GraphImage::Subsystem::parents);

void describe_parents(FieldWriter& io, const Parents& all, std::uint64_t& /*edges_left*/) {
  write_column(io.out(), all, [](const auto& pair) { return pair.first.v; });
  write_column(io.out(), all, [](const auto& pair) { return pair.second.v; });
}
void describe_parents(FieldReader& io, Parents& all, std::uint64_t& edges_left) {
  std::vector<PoolId> children, parents;
  describe_pools(io, children, edges_left);
  describe_pools(io, parents, edges_left);
  if (children.size() != parents.size()) io.in().fail();
  for (std::size_t i = 0; io.in().ok() && i < children.size(); ++i) {
    all.emplace_back(children[i], parents[i]);
  }
}

void describe_subsystem(auto& io, auto& s, std::uint64_t& edges_left) {
  io.parts(s.root);
  describe_pools(io, s.from, edges_left);
  describe_pools(io, s.to, edges_left);
  describe_relations(io, s.relations);
  describe_parents(io, s.parents, edges_left);
}

void describe_sparse(auto& io, auto& m, std::uint64_t pools_max) {
  io.list(m.vacant, 3, [&](auto& vacant) {
    io.parts(vacant.first);
    io.list(vacant.second, 1, [&](auto& type) { io.parts(type); });
  });
  describe_relations(io, m.tree_relations);
  std::uint64_t edges_left = 8 * pools_max;  // four columns, twice as many edges as pools
  io.list(m.subsystems, 10, [&](auto& s) { describe_subsystem(io, s, edges_left); });
  io.list(m.own_names, 2, [&](auto& own) { io.parts(own.first, own.second); });
  io.list(m.own_paths, 3, [&](auto& own) { io.parts(own.pool, own.subsystem, own.path); });
  for (auto* attributes : {&m.properties, &m.tags}) {
    io.list(*attributes, 2, [&](auto& own) { io.parts(own.first, own.second); });
  }
}

void describe_graph(auto& io, auto& m, std::uint64_t pools_max) {
  for (auto* words :
       {&m.type_names, &m.unit_names, &m.basenames, &m.subsystem_names, &m.relation_names}) {
    io.list(*words, 1, [&](auto& word) { io.parts(word); });
  }
  io.parts(m.dominant, m.tree_count, m.built_count, m.next_uniq_id);
  io.column(m.types, pools_max);
  io.column(m.units, pools_max);
  io.column(m.names, pools_max);
  io.column(m.sizes, pools_max);
  io.column(m.ids, pools_max);
  io.column(m.ranks, pools_max);
  io.column(m.created, pools_max);
  io.column(m.parents, pools_max);
  io.column(m.uniq_ids, pools_max);
  io.column(m.removed, pools_max);
  io.column(m.attached, pools_max);
  io.column(m.initially_down, pools_max);
  io.column(m.largest, UINT16_MAX);
  describe_sparse(io, m, pools_max);
}

}  // namespace

void write_graph(ByteWriter& out, const GraphImage& m) {
  FieldWriter io(out);
  describe_graph(io, m, UINT32_MAX);
}

GraphImage read_graph(ByteReader& in, std::uint64_t pools_max) {
  GraphImage m;
  FieldReader io(in);
  describe_graph(io, m, pools_max);
  return m;
}

}  // namespace copse
