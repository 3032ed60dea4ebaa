// SPDX-License-Identifier: Apache-2.0
//
// Small graphs for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "graph/graph_builder.hpp"

namespace copse {

struct PoolWords {
  std::string_view type;
  std::int64_t id = -1;
  std::int64_t size = 1;
  std::string_view unit = "";
  std::int32_t rank = -1;
  std::string_view basename = "";  // "": the name of the type
};

// A builder that takes names; the test fails if it refuses one.
class GraphText {
 public:
  GraphText() = default;
  explicit GraphText(GraphBuilder::Limits limits) : builder(limits) {}

  GraphBuilder::Handle pool(const PoolWords& w) {
    PoolSpec spec;
    spec.type = must(builder.type(w.type));
    spec.basename = builder.basename(w.basename.empty() ? w.type : w.basename);
    spec.unit = must(builder.unit(w.unit));
    spec.size = w.size;
    spec.id = w.id;
    spec.rank = w.rank;
    return must(builder.add_pool(spec));
  }
  // The first source of a subsystem's edges becomes its root.
  void edge(GraphBuilder::Handle from, GraphBuilder::Handle to,
            std::string_view subsystem = "containment", std::string_view relation = "contains",
            std::string_view reverse = "in") {
    const SubsystemId s = must(builder.subsystem(subsystem));
    if (!builder.has_root(s)) root(subsystem, from);
    EXPECT_TRUE(builder.add_edge(from, to, s, must(builder.relation(relation)),
                                 must(builder.relation(reverse))));
  }
  GraphBuilder::Handle child(GraphBuilder::Handle parent, const PoolWords& w) {
    const GraphBuilder::Handle made = pool(w);
    edge(parent, made);
    return made;
  }
  // A root without edges.
  void root(std::string_view subsystem, GraphBuilder::Handle pool) {
    EXPECT_TRUE(builder.set_root(must(builder.subsystem(subsystem)), pool));
  }
  ResourceGraph build(std::string_view dominant = "containment") {
    return must(builder.build(dominant));
  }

  template <class T>
  static T must(Result<T> result) {
    EXPECT_TRUE(result) << (result ? "" : result.error().message());
    return std::move(result).value();
  }

  GraphBuilder builder;
};

inline SubsystemId subsystem(const ResourceGraph& g, std::string_view name) {
  return SubsystemId{static_cast<std::uint8_t>(g.names().subsystems.find(name))};
}

// The only pool at a path.
inline PoolId at(const ResourceGraph& g, std::string_view path) {
  const std::vector<PoolId> found = g.at_path(path);
  EXPECT_EQ(found.size(), 1U) << path;
  return found.empty() ? kNoPool : found[0];
}

inline std::vector<std::string> names_of(const ResourceGraph& g, const std::vector<PoolId>& pools) {
  std::vector<std::string> names;
  for (PoolId p : pools) names.push_back(g.name(p));
  return names;
}

// cluster0 > rack0, rack1 > 2 nodes each (node0 … node3, ranks) > 2 sockets > 4 cores, 1 gpu, 1
// memory of 8 GB. Power: power0 > pdu0, pdu1 > the nodes; both PDUs have node1 as a child. Pools
// are created level by level, as from a GRUG recipe: not in the order of the tree.
inline GraphText machine_text() {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  std::vector<GraphBuilder::Handle> racks, nodes, sockets;
  for (int r = 0; r < 2; ++r) racks.push_back(t.child(cluster, {"rack", r}));
  for (int n = 0; n < 4; ++n) {
    nodes.push_back(t.child(racks[static_cast<std::size_t>(n / 2)],
                            {.type = "node", .id = n, .rank = t.builder.next_rank()}));
  }
  for (const auto node : nodes) {
    for (int s = 0; s < 2; ++s) sockets.push_back(t.child(node, {"socket", s}));
  }
  for (const auto socket : sockets) {
    for (int c = 0; c < 4; ++c) t.child(socket, {"core", c});
  }
  for (const auto socket : sockets) t.child(socket, {"gpu", 0});
  for (const auto socket : sockets) t.child(socket, {"memory", 0, 8, "GB"});
  const auto power = t.pool({"power", 0, 4000, "W"});
  const auto pdu0 = t.pool({"pdu", 0, 2000, "W"});
  const auto pdu1 = t.pool({"pdu", 1, 2000, "W"});
  const auto supply = [&](GraphBuilder::Handle from, GraphBuilder::Handle to) {
    t.edge(from, to, "power", "supplies_to", "draws_from");
  };
  supply(power, pdu0);
  supply(power, pdu1);
  supply(pdu0, nodes[0]);
  supply(pdu0, nodes[1]);
  supply(pdu1, nodes[1]);
  supply(pdu1, nodes[2]);
  supply(pdu1, nodes[3]);
  return t;
}
inline ResourceGraph machine() { return machine_text().build(); }

}  // namespace copse
