// SPDX-License-Identifier: Apache-2.0
//
// Numbers pools and edges, given in order of creation, and builds the graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"

namespace copse {

// A machine as input: pools by handle, which is their order of creation. GraphBuilder fills it.
struct GraphParts {
  using Handle = std::uint32_t;
  struct EdgeRun {  // edges [first, next run's first) share these
    std::uint32_t first;
    SubsystemId subsystem;
    RelationId relation, reverse;
  };

  Names names{};
  std::vector<TypeId> types{};
  std::vector<UnitId> units{};
  std::vector<NameId> basenames{};
  std::vector<std::int64_t> sizes{}, ids{};
  std::vector<std::int32_t> ranks{};
  std::vector<std::uint32_t> edge_from{}, edge_to{};
  std::vector<EdgeRun> edge_runs{};
  std::vector<Handle> roots{};  // by subsystem; kNoPool.v if none
  std::map<Handle, ResourceGraph::Attributes> properties{};
  std::map<Handle, std::string> own_names{};
  std::vector<std::int64_t> own_uniq_ids{};  // by handle; empty: equal to the handle
  std::vector<Handle> down{};

  [[nodiscard]] auto columns() { return std::tie(types, units, basenames, sizes, ids, ranks); }
  [[nodiscard]] std::string pool_name(Handle pool) const;  // basename + id, unless the format has
                                                           // another
};

// Numbers the pools and builds the graph. Of several edges into a pool, the last one is in the
// dominant subsystem's tree (as in Fluxion's paths); the others are kept as further edges.
// REQUIRES that the dominant subsystem has a root. Errors: invalid if the edges of a subsystem form
// a cycle; limit, if it is deeper than 1,000. O(pools + edges); columns are permuted one by one, so
// that the peak is the graph plus one column.
[[nodiscard]] Result<ResourceGraph> make_graph(GraphParts parts, SubsystemId dominant);

}  // namespace copse
