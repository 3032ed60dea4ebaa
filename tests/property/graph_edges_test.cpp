// SPDX-License-Identifier: Apache-2.0
//
// Random graphs with several subsystems, relations and tags, as JGF and GraphML, with edges that are said
// from one end or from both: read again, they are the same graphs. See seeds.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "formats/graphml/graph_graphml.hpp"
#include "formats/graphml/graphml_read.hpp"
#include "formats/jgf/graph_jgf.hpp"
#include "formats/jgf/jgf.hpp"
#include "property/random.hpp"
#include "property/seeds.hpp"

namespace copse::property {
namespace {

// The oracle's graph: pools and relations as they were made up.
struct MadePool {
  std::string type, path;  // in containment
  std::map<std::string, std::string> paths, tags;
};
struct MadeEdge {
  std::size_t from, to;
  std::string subsystem, relation, reverse;
};
struct MadeGraph {
  std::vector<MadePool> pools;
  std::vector<MadeEdge> edges;
};

MadeGraph make_graph(std::uint64_t seed) {
  Random random(seed);
  const auto below = [&](std::size_t count) {
    return static_cast<std::size_t>(random.below(count));
  };
  static constexpr const char* kTypes[] = {"rack", "node", "socket", "core"};
  static constexpr std::pair<const char*, const char*> kRelations[] = {
      {"contains", "in"},
      {"supplies_to", "draws_from"},
      {"conduit_of", "conduit_from"},
      {"has", "in"}};
  MadeGraph g;
  g.pools.push_back({"cluster", "/cluster0", {{"containment", "/cluster0"}}, {}});
  for (std::size_t count = 2 + below(12); count > 0; --count) {
    const std::size_t up = below(g.pools.size());
    const std::string type = kTypes[below(4)];
    const std::string name = fmt::format("{}{}", type, g.pools.size());
    const std::string path = g.pools[up].path + "/" + name;
    const auto& [relation, reverse] = kRelations[below(8) == 0 ? below(4) : 0];
    g.edges.push_back({up, g.pools.size(), "containment", relation, reverse});
    g.pools.push_back({type, path, {{"containment", path}}, {}});
    if (below(3) == 0)
      g.pools.back().tags[fmt::format("t{}", below(3))] = fmt::format("v\"<{}", below(9));
  }
  // A further subsystem: a tree over some of these pools, with a root and supplies of its own.
  for (const char* const subsystem : {"power", "network"}) {
    if (below(3) == 0) continue;
    const std::size_t root = g.pools.size(), leaves = root;
    const std::string head = fmt::format("/{}{}", subsystem, root);
    g.pools.push_back({subsystem, "", {{subsystem, head}}, {}});
    std::vector<std::size_t> above{root};
    for (std::size_t count = below(3); count > 0; --count) {
      const std::size_t up = above[below(above.size())];
      const std::string path = g.pools[up].paths[subsystem] + fmt::format("/pdu{}", g.pools.size());
      g.edges.push_back({up, g.pools.size(), subsystem, "supplies_to", "draws_from"});
      above.push_back(g.pools.size());
      g.pools.push_back({"pdu", "", {{subsystem, path}}, {}});
    }
    for (std::size_t p = 1; p < leaves; ++p) {
      if (g.pools[p].paths.size() > 2 || g.pools[p].path.empty() || below(2) == 0) continue;
      const std::size_t up = above[below(above.size())];
      const auto& [relation, reverse] = kRelations[below(4)];
      g.edges.push_back({up, p, subsystem, relation, reverse});
      const std::string& own = g.pools[p].path;
      g.pools[p].paths[subsystem] = g.pools[up].paths[subsystem] + own.substr(own.rfind('/'));
    }
  }
  return g;
}

// As other programs write it: some relations from both ends, in any order.
std::string as_jgf(const MadeGraph& g, std::uint64_t seed) {
  Random random(seed ^ 0x5ca1ab1e);
  std::string nodes, edges;
  const auto quoted = [](const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"') out += '\\';
      out += c;
    }
    return out + "\"";
  };
  for (std::size_t p = 0; p < g.pools.size(); ++p) {
    std::string paths, tags;
    for (const auto& [subsystem, path] : g.pools[p].paths) {
      paths += fmt::format("{}\"{}\": \"{}\"", paths.empty() ? "" : ", ", subsystem, path);
    }
    for (const auto& [key, value] : g.pools[p].tags) {
      tags += fmt::format("{}\"{}\": {}", tags.empty() ? "" : ", ", key, quoted(value));
    }
    const std::size_t number = p == 0 ? 0 : p;
    nodes += fmt::format(
        R"({}{{"id": "{}", "metadata": {{"type": "{}", "id": {}, "rank": -1, "tags": {{{}}}, "paths": {{{}}}}}}})",
        nodes.empty() ? "" : ", ", p, g.pools[p].type, number, tags, paths);
  }
  std::vector<std::string> all;
  const auto edge = [&](std::size_t from, std::size_t to, const MadeEdge& e,
                        const std::string& name) {
    return fmt::format(
        R"({{"source": "{}", "target": "{}", "metadata": {{"subsystem": "{}", "name": {{"{}": "{}"}})",
        from, to, e.subsystem, e.subsystem, name);
  };
  for (const MadeEdge& e : g.edges) {
    const bool both = random.below(2) == 0;
    std::string forward = edge(e.from, e.to, e, e.relation);
    if (!both) forward += fmt::format(R"(, "reverse": {{"{}": "{}"}})", e.subsystem, e.reverse);
    all.push_back(forward + "}}");
    if (both) all.push_back(edge(e.to, e.from, e, e.reverse) + "}}");
  }
  for (std::size_t i = all.size(); i > 1; --i) {
    std::swap(all[i - 1], all[static_cast<std::size_t>(random.below(i))]);
  }
  for (const std::string& one : all) edges += (edges.empty() ? "" : ", ") + one;
  return fmt::format(R"({{"graph": {{"nodes": [{}], "edges": [{}]}}}})", nodes, edges);
}

// What the oracle says of a graph, and what the graph says.
std::multiset<std::string> said(const MadeGraph& g) {
  std::multiset<std::string> out;
  const auto name = [&](std::size_t p) { return fmt::format("{}{}", g.pools[p].type, p); };
  for (std::size_t p = 0; p < g.pools.size(); ++p) {
    std::string line = name(p);
    for (const auto& [key, value] : g.pools[p].tags) line += " " + key + "=" + value;
    for (const auto& [subsystem, path] : g.pools[p].paths) line += " " + subsystem + ":" + path;
    out.insert(line);
  }
  for (const MadeEdge& e : g.edges) {
    out.insert(fmt::format("{} {} {} {}/{}", name(e.from), name(e.to), e.subsystem, e.relation,
                           e.reverse));
  }
  return out;
}

std::multiset<std::string> said(const ResourceGraph& g) {
  std::multiset<std::string> out;
  for (std::uint32_t v = 0; v < g.pool_count(); ++v) {
    const PoolId p{v};
    std::string line = g.name(p);
    if (const auto* tags = g.tags(p)) {
      for (const auto& [key, value] : *tags) line += " " + key + "=" + value;
    }
    std::map<std::string, std::string> paths;
    for (std::uint32_t s = 0; s < g.subsystem_count(); ++s) {
      const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
      if (const std::string path = g.path(p, subsystem); !path.empty()) {
        paths[g.subsystem_name(subsystem)] = path;
      }
    }
    for (const auto& [subsystem, path] : paths) line += " " + subsystem + ":" + path;
    out.insert(line);
  }
  g.for_each_edge([&](const Edge& e) {
    const auto& relations = g.names().relations;
    out.insert(fmt::format("{} {} {} {}/{}", g.name(e.from), g.name(e.to),
                           g.subsystem_name(e.subsystem), relations.text(e.relation.v),
                           relations.text(e.reverse.v)));
  });
  return out;
}

TEST(GraphEdges, FromBothEndsAreTheSameGraph) {
  Seeds seeds(60'000'000, 2'000);
  seeds.each([&](std::uint64_t seed) {
    const MadeGraph made = make_graph(seed);
    const std::string jgf = as_jgf(made, seed);
    const auto graph = read_jgf(jgf);
    ASSERT_TRUE(graph) << graph.error().message() << '\n' << jgf;
    ASSERT_EQ(said(*graph), said(made)) << jgf;
    std::string text;
    ASSERT_TRUE(write_jgf(*graph, text));
    const auto again = read_jgf(text);
    ASSERT_TRUE(again) << again.error().message() << '\n' << text;
    ASSERT_EQ(said(*again), said(made)) << text;
    std::vector<SubsystemId> all;
    for (std::uint32_t s = 0; s < graph->subsystem_count(); ++s) {
      all.push_back(SubsystemId{static_cast<std::uint8_t>(s)});
    }
    std::string graphml;
    ASSERT_TRUE(write_graphml(*graph, all, graphml));
    const auto other = read_graphml(graphml, "g");
    ASSERT_TRUE(other) << other.error().message() << '\n' << graphml;
    ASSERT_EQ(said(*other), said(made)) << graphml;
    // A part has exactly what is between its pools.
    const PoolId last{graph->pool_count() - 1};
    std::string some;
    ASSERT_TRUE(write_jgf(*graph, std::vector<PoolId>{last}, sink_into(some)));
    const auto part = read_jgf(some);
    if (!graph->in_tree(last)) return;  // no root of containment
    ASSERT_TRUE(part) << part.error().message() << '\n' << some;
    const auto of_part = said(*part), whole = said(made);
    ASSERT_TRUE(std::ranges::includes(whole, of_part)) << some;
  });
}

}  // namespace
}  // namespace copse::property
