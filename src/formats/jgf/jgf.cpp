// SPDX-License-Identifier: Apache-2.0
#include "formats/jgf/jgf.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/jgf/jgf_pool.hpp"
#include "text/json_text.hpp"

namespace copse {

namespace {

class JgfText {
 public:
  JgfText(const Emission& emission, std::string& out)
      : emission_(emission), graph_(emission.graph), out_(out) {}

  void node(const Emitted& e) {
    const PoolId p = e.pool;
    out_ += "{\"id\": \"";
    append_number(out_, graph_.uniq_id(p));
    out_ += "\", \"metadata\": {";
    append_jgf_metadata(graph_, p, e.exclusive, out_);
    label(p);
    if (emission_.more_metadata) emission_.more_metadata(p, out_);
    out_ += "}}";
  }

  void way(PoolId p, std::int64_t drawn) {
    out_ += "{\"id\": \"";
    append_number(out_, graph_.uniq_id(p));
    out_ += "\", \"metadata\": {";
    append_jgf_metadata(graph_, p, false, out_, drawn);
    out_ += "}}";
  }

  void edge(PoolId from, PoolId to) { edge(from, to, graph_.dominant()); }

  void edge(PoolId from, PoolId to, SubsystemId s) {
    out_ += "{\"source\": \"";
    append_number(out_, graph_.uniq_id(from));
    out_ += "\", \"target\": \"";
    append_number(out_, graph_.uniq_id(to));
    out_ += '"';
    const std::string& subsystem = graph_.subsystem_name(s);
    if (subsystem != "containment") {
      out_ += ", \"metadata\": {\"subsystem\": ";
      append_json(out_, subsystem);
      out_ += '}';
    }
    out_ += '}';
  }

 private:
  void label(PoolId p) {
    const auto& labels = emission_.labels;
    auto it = std::lower_bound(labels.begin(), labels.end(), p,
                               [](const auto& l, PoolId pool) { return l.first < pool; });
    if (it == labels.end() || it->first != p) return;
    out_ += ", \"ephemeral\": {\"label\": ";
    append_json(out_, it->second);
    out_ += '}';
  }

  const Emission& emission_;
  const ResourceGraph& graph_;
  std::string& out_;
};

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

Ways ways_of(const Emission& emission) {
  Ways out;
  if (emission.drawn.empty()) return out;
  const ResourceGraph& graph = emission.graph;
  std::unordered_map<std::uint32_t, std::int64_t> drawn;  // by pool, in all subsystems
  for (const ChannelCharge& charge : emission.drawn) drawn[charge.pool.v] += charge.amount;
  std::unordered_set<std::uint32_t> known;
  for (const Emitted& e : emission.pools) known.insert(e.pool.v);
  std::set<std::pair<std::uint32_t, std::uint8_t>> climbed;
  for (const ChannelCharge& charge : emission.drawn) {
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

void append_jgf(const Emission& emission, bool shorthand, std::string& out) {
  JgfText text(emission, out);
  const bool shorten = shorthand && !emission.complete;
  bool shortened = false, first = true;
  out += "{\"graph\": {\"nodes\": [";
  for (const Emitted& e : emission.pools) {
    if (shorten && e.parent_exclusive) {
      shortened = true;
      continue;
    }
    if (!first) out += ", ";
    first = false;
    text.node(e);
  }
  const Ways ways = ways_of(emission);
  for (const Ways::Node& node : ways.nodes) {
    if (!first) out += ", ";
    first = false;
    text.way(node.pool, node.drawn);
  }
  out += "], \"edges\": [";
  first = true;
  for (const Emitted& e : emission.pools) {
    if (e.depth == 0 || (shorten && e.parent_exclusive)) continue;
    if (!first) out += ", ";
    first = false;
    text.edge(e.parent != kNoPool ? e.parent : emission.graph.parent(e.pool), e.pool);
  }
  for (const Ways::Up& up : ways.edges) {
    if (!first) out += ", ";
    first = false;
    text.edge(up.from, up.to, up.subsystem);
  }
  out += "]}";
  if (shortened) out += ", \"writer\": \"fluxion:jgf_shorthand\"";
  out += '}';
}

}  // namespace copse
