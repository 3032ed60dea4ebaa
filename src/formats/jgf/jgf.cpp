// SPDX-License-Identifier: Apache-2.0
#include "formats/jgf/jgf.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "formats/jgf/jgf_pool.hpp"

namespace copse {

namespace {

const std::string* label_of(const OutputRequest& request, PoolId p) {
  const auto at =
      std::ranges::lower_bound(request.labels, p, {}, [](const auto& l) { return l.first; });
  return at == request.labels.end() || at->first != p ? nullptr : &at->second;
}

// What is drawn along auxiliary subsystems: capacities and the pools above them, lowest first.
struct Ways {
  struct Node {
    PoolId pool;
    std::uint32_t depth;
    std::int64_t drawn;
  };
  struct Up {
    PoolId from, to;
    SubsystemId subsystem;
  };
  std::vector<Node> nodes;  // that are not among the emission's
  std::vector<Up> edges;
};

Ways ways_of(const OutputRequest& request) {
  Ways out;
  if (request.drawn.empty()) return out;
  const ResourceGraph& graph = request.graph;
  std::unordered_map<std::uint32_t, std::int64_t> drawn;  // by pool, in all subsystems
  for (const CapacityCharge& charge : request.drawn) drawn[charge.pool.v] += charge.amount;
  std::unordered_set<std::uint32_t> known;
  for (const ExpandedPool& e : request.pools) known.insert(e.pool.v);
  std::set<std::pair<std::uint32_t, std::uint8_t>> climbed;
  for (const CapacityCharge& charge : request.drawn) {
    std::vector<PoolId> way;  // upwards, bounded by the depth of the subsystem
    for (PoolId at = charge.pool; at != kNoPool && way.size() < 1024;
         at = graph.parent_in(at, charge.subsystem)) {
      way.push_back(at);
    }
    for (std::size_t i = 0; i < way.size(); ++i) {
      if (!climbed.emplace(way[i].v, charge.subsystem.v).second) break;
      const auto depth = static_cast<std::uint32_t>(way.size() - i);
      const auto of_it = drawn.find(way[i].v);
      if (known.insert(way[i].v).second) {
        out.nodes.push_back({way[i], depth, of_it == drawn.end() ? 0 : of_it->second});
      }
      if (i + 1 < way.size()) out.edges.push_back({way[i + 1], way[i], charge.subsystem});
    }
  }
  std::stable_sort(out.nodes.begin(), out.nodes.end(),
                   [](const auto& a, const auto& b) { return a.depth > b.depth; });
  return out;
}

}  // namespace

void append_jgf(const OutputRequest& request, bool shorthand, std::string& out) {
  const ResourceGraph& graph = request.graph;
  const bool shorten = shorthand && !request.complete;
  const auto left_out = [&](const ExpandedPool& e) { return shorten && e.parent_exclusive; };
  const Ways ways = ways_of(request);
  JsonWriter json(out);
  const auto write_node = [&](PoolId p, auto metadata) {
    json.object([&] {
      json.member("id", std::to_string(graph.uniq_id(p)));
      json.object("metadata", metadata);
    });
  };
  const auto write_pool = [&](const ExpandedPool& e) {
    if (left_out(e)) return;
    write_node(e.pool, [&] {
      write_jgf_metadata(json, graph, e.pool, e.exclusive, {.units = e.units});
      if (const std::string* label = label_of(request, e.pool)) {
        json.object("ephemeral", [&] { json.member("label", *label); });
      }
      if (request.more_metadata) request.more_metadata(e.pool, json);
    });
  };
  const auto write_edge = [&](PoolId from, PoolId to, SubsystemId s) {
    write_jgf_edge(json, graph.uniq_id(from), graph.uniq_id(to), graph.subsystem_name(s));
  };
  json.object([&] {
    json.object("graph", [&] {
      json.list("nodes", [&] {
        for (const ExpandedPool& e : request.pools) write_pool(e);
        for (const Ways::Node& node : ways.nodes) {
          write_node(node.pool, [&] {
            write_jgf_metadata(json, graph, node.pool, false, {.drawn = node.drawn});
          });
        }
      });
      json.list("edges", [&] {
        for (const ExpandedPool& e : request.pools) {
          if (e.depth == 0 || left_out(e)) continue;
          write_edge(e.parent != kNoPool ? e.parent : graph.parent(e.pool), e.pool,
                     graph.dominant());
        }
        for (const Ways::Up& up : ways.edges) write_edge(up.from, up.to, up.subsystem);
      });
    });
    if (std::ranges::any_of(request.pools, left_out)) {
      json.member("writer", "fluxion:jgf_shorthand");
    }
  });
}

}  // namespace copse
