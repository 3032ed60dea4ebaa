// SPDX-License-Identifier: Apache-2.0
//
// GraphImage: the content of a ResourceGraph that cannot be derived, as plain columns by pool
// number.
//
// A graph made of its image has the same numbers, names, orders and gaps. Interior numbers, child
// lists, shapes and indexes are derived again; the log of changes and the counters of changes start
// empty.
//
// Images are untrusted: graph_of() checks every index before using it.
// Cost: O(pools + edges) both ways. An image takes 40 bytes per pool, plus sparse data.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "copse/graph.hpp"

namespace copse {

struct GraphImage {
  template <class T>
  using OfPools = std::vector<std::pair<std::uint32_t, T>>;  // pools ascend
  struct Relations {                                         // run i holds from `first` on
    std::uint32_t first = 0;
    RelationId relation, reverse;
    bool operator==(const Relations&) const = default;
  };
  struct Subsystem {
    PoolId root = kNoPool;
    std::vector<PoolId> from, to;  // edges outside the tree, by origin
    std::vector<Relations> relations;
    std::vector<std::pair<PoolId, PoolId>> parents;  // (child, parent), children ascend
    bool operator==(const Subsystem&) const = default;
  };
  struct OwnPath {
    std::uint32_t pool = 0;
    SubsystemId subsystem;
    std::string path;
    bool operator==(const OwnPath&) const = default;
  };

  // Words in the order of their numbers.
  std::vector<std::string> type_names, unit_names, basenames, subsystem_names, relation_names;
  SubsystemId dominant;
  std::uint32_t tree_count = 0, built_count = 0;  // as built: pools of the tree, all pools
  std::int64_t next_uniq_id = 0;

  // By pool.
  std::vector<TypeId> types;
  std::vector<UnitId> units;
  std::vector<NameId> names;
  std::vector<std::int64_t> sizes, ids;
  std::vector<std::int32_t> ranks;
  std::vector<std::uint32_t> created, parents;
  std::vector<std::int64_t> uniq_ids;  // empty: as created

  std::vector<std::uint32_t> removed;   // pools, ascending
  std::vector<std::uint32_t> attached;  // the first pool of each attached subtree, ascending
  std::vector<PoolId> initially_down;
  std::vector<std::int64_t> largest;      // by type
  std::vector<TypeId> divisible;          // types, ascending
  OfPools<std::vector<TypeId>> vacant{};  // types that a pool still counts, but no longer has
  std::vector<Relations> tree_relations;  // of the edge into a pool, runs over `created`
  std::vector<Subsystem> subsystems;
  OfPools<std::string> own_names{};
  std::vector<OwnPath> own_paths;  // in the order of (pool, subsystem)
  OfPools<ResourceGraph::Attributes> properties{}, tags{};

  bool operator==(const GraphImage&) const = default;
};

class GraphImager {
 public:
  [[nodiscard]] static GraphImage image_of(const ResourceGraph& graph);
  // Errors: invalid, naming the rule and what breaks it; limit.
  [[nodiscard]] static Result<ResourceGraph> graph_of(GraphImage image);

 private:
  static void take_edges(ResourceGraph& g, GraphImage& image);
  static void derive(ResourceGraph& g, const GraphImage& image);
};

}  // namespace copse
