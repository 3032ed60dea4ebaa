// SPDX-License-Identifier: Apache-2.0
#include "save/graph_codec.hpp"

#include <string>

#include "save/column.hpp"

namespace copse {

namespace {

constexpr auto kNumber = [](auto v) { return v; };
constexpr auto kId = [](auto id) { return id.v; };

template <class Id>
Id make_id(typename Id::rep v) {
  return Id{v};
}

void write_words(ByteWriter& out, const std::vector<std::string>& words) {
  out.number(words.size());
  for (const std::string& word : words) out.text(word);
}

std::vector<std::string> read_words(ByteReader& in) {
  std::vector<std::string> out(in.count());
  for (std::string& word : out) word = in.text();
  return out;
}

using Runs = std::vector<GraphImage::Relations>;

void write_relations(ByteWriter& out, const Runs& runs) {
  out.number(runs.size());
  for (const auto& run : runs) {
    out.number(run.first);
    out.number(run.relation.v);
    out.number(run.reverse.v);
  }
}

Runs read_relations(ByteReader& in) {
  Runs out(in.count(3));
  for (auto& run : out) {
    run.first = in.below<std::uint32_t>(UINT32_MAX);
    run.relation = RelationId{in.below<std::uint16_t>(UINT16_MAX)};
    run.reverse = RelationId{in.below<std::uint16_t>(UINT16_MAX)};
  }
  return out;
}

void write_subsystem(ByteWriter& out, const GraphImage::Subsystem& s) {
  out.number(s.root.v);
  write_column(out, s.from, kId);
  write_column(out, s.to, kId);
  write_relations(out, s.relations);
  write_column(out, s.parents, [](const auto& p) { return p.first.v; });
  write_column(out, s.parents, [](const auto& p) { return p.second.v; });
}

// `edges_left`: limit for all further subsystems.
GraphImage::Subsystem read_subsystem(ByteReader& in, std::uint64_t& edges_left) {
  GraphImage::Subsystem out;
  auto read = [&](std::vector<PoolId>& to) {
    read_column<std::uint32_t>(in, edges_left, to, make_id<PoolId>);
    edges_left -= to.size();
  };
  out.root = PoolId{in.below<std::uint32_t>(UINT32_MAX)};
  read(out.from);
  read(out.to);
  out.relations = read_relations(in);
  std::vector<PoolId> children, parents;
  read(children);
  read(parents);
  if (children.size() != parents.size()) in.fail();
  for (std::size_t i = 0; in.ok() && i < children.size(); ++i) {
    out.parents.emplace_back(children[i], parents[i]);
  }
  return out;
}

using AttributesOfPools = GraphImage::OfPools<ResourceGraph::Attributes>;

void write_attributes(ByteWriter& out, const AttributesOfPools& of_pools) {
  out.number(of_pools.size());
  for (const auto& [pool, attributes] : of_pools) {
    out.number(pool);
    out.number(attributes.size());
    for (const auto& [key, value] : attributes) {
      out.text(key);
      out.text(value);
    }
  }
}

AttributesOfPools read_attributes(ByteReader& in) {
  AttributesOfPools out(in.count(2));
  for (auto& [pool, attributes] : out) {
    pool = in.below<std::uint32_t>(UINT32_MAX);
    for (std::size_t left = in.count(2); left > 0; --left) {
      std::string key(in.text());
      attributes.insert_or_assign(std::move(key), std::string(in.text()));
    }
  }
  return out;
}

void write_sparse(ByteWriter& out, const GraphImage& m) {
  out.number(m.vacant.size());
  for (const auto& [pool, types] : m.vacant) {
    out.number(pool);
    out.number(types.size());
    for (const TypeId type : types) out.number(type.v);
  }
  write_relations(out, m.tree_relations);
  out.number(m.subsystems.size());
  for (const auto& s : m.subsystems) write_subsystem(out, s);
  out.number(m.own_names.size());
  for (const auto& [pool, name] : m.own_names) {
    out.number(pool);
    out.text(name);
  }
  out.number(m.own_paths.size());
  for (const auto& path : m.own_paths) {
    out.number(path.pool);
    out.number(path.subsystem.v);
    out.text(path.path);
  }
  write_attributes(out, m.properties);
  write_attributes(out, m.tags);
}

void read_sparse(ByteReader& in, std::uint64_t pools_max, GraphImage& m) {
  m.vacant.resize(in.count(3));
  for (auto& [pool, types] : m.vacant) {
    pool = in.below<std::uint32_t>(UINT32_MAX);
    types.resize(in.count());
    for (TypeId& type : types) type = TypeId{in.below<std::uint16_t>(UINT16_MAX)};
  }
  m.tree_relations = read_relations(in);
  m.subsystems.resize(in.below<std::size_t>(UINT8_MAX));
  std::uint64_t edges_left = 8 * pools_max;  // four columns, twice as many edges as pools
  for (auto& s : m.subsystems) s = read_subsystem(in, edges_left);
  m.own_names.resize(in.count(2));
  for (auto& [pool, name] : m.own_names) {
    pool = in.below<std::uint32_t>(UINT32_MAX);
    name = in.text();
  }
  m.own_paths.resize(in.count(3));
  for (auto& path : m.own_paths) {
    path.pool = in.below<std::uint32_t>(UINT32_MAX);
    path.subsystem = SubsystemId{in.below<std::uint8_t>(UINT8_MAX)};
    path.path = in.text();
  }
  m.properties = read_attributes(in);
  m.tags = read_attributes(in);
}

}  // namespace

void write_graph(ByteWriter& out, const GraphImage& m) {
  for (const auto* words :
       {&m.type_names, &m.unit_names, &m.basenames, &m.subsystem_names, &m.relation_names}) {
    write_words(out, *words);
  }
  out.number(m.dominant.v);
  out.number(m.tree_count);
  out.number(m.built_count);
  out.integer(m.next_uniq_id);
  write_column(out, m.types, kId);
  write_column(out, m.units, kId);
  write_column(out, m.names, kId);
  write_column(out, m.sizes, kNumber);
  write_column(out, m.ids, kNumber);
  write_column(out, m.ranks, [](std::int32_t rank) { return std::int64_t{rank}; });
  write_column(out, m.created, kNumber);
  write_column(out, m.parents, kNumber);
  write_column(out, m.uniq_ids, kNumber);
  write_column(out, m.removed, kNumber);
  write_column(out, m.attached, kNumber);
  write_column(out, m.initially_down, kId);
  write_column(out, m.largest, kNumber);
  write_sparse(out, m);
}

GraphImage read_graph(ByteReader& in, std::uint64_t pools_max) {
  GraphImage m;
  for (auto* words :
       {&m.type_names, &m.unit_names, &m.basenames, &m.subsystem_names, &m.relation_names}) {
    *words = read_words(in);
  }
  m.dominant = SubsystemId{in.below<std::uint8_t>(UINT8_MAX)};
  m.tree_count = in.below<std::uint32_t>(UINT32_MAX);
  m.built_count = in.below<std::uint32_t>(UINT32_MAX);
  m.next_uniq_id = in.integer();
  const bool columns =
      read_column<std::uint16_t>(in, pools_max, m.types, make_id<TypeId>) &&
      read_column<std::uint16_t>(in, pools_max, m.units, make_id<UnitId>) &&
      read_column<std::uint32_t>(in, pools_max, m.names, make_id<NameId>) &&
      read_column<std::int64_t>(in, pools_max, m.sizes, kNumber) &&
      read_column<std::int64_t>(in, pools_max, m.ids, kNumber) &&
      read_column<std::int32_t>(in, pools_max, m.ranks, kNumber) &&
      read_column<std::uint32_t>(in, pools_max, m.created, kNumber) &&
      read_column<std::uint32_t>(in, pools_max, m.parents, kNumber) &&
      read_column<std::int64_t>(in, pools_max, m.uniq_ids, kNumber) &&
      read_column<std::uint32_t>(in, pools_max, m.removed, kNumber) &&
      read_column<std::uint32_t>(in, pools_max, m.attached, kNumber) &&
      read_column<std::uint32_t>(in, pools_max, m.initially_down, make_id<PoolId>) &&
      read_column<std::int64_t>(in, UINT16_MAX, m.largest, kNumber);
  if (columns) read_sparse(in, pools_max, m);
  return m;
}

}  // namespace copse
