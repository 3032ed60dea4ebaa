// SPDX-License-Identifier: Apache-2.0
#include "formats/jgf/graph_jgf.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/jgf/jgf_pool.hpp"

namespace copse {
namespace {

class GraphJgf {
 public:
  GraphJgf(const ResourceGraph& graph, const TextSink& sink) : graph_(graph), pieces_(sink) {
    const auto down = graph.initially_down();
    down_.assign(down.begin(), down.end());
    std::sort(down_.begin(), down_.end());
  }

  // Leaves out all pools but these and those above them.
  void choose(std::span<const PoolId> pools) {
    std::vector<std::pair<PoolId, PoolId>> up;  // of edges: to, from
    graph_.for_each_edge([&](const Edge& e) { up.emplace_back(e.to, e.from); });
    std::sort(up.begin(), up.end());
    chosen_.assign(graph_.pool_count(), false);
    std::vector<PoolId> todo(pools.begin(), pools.end());
    while (!todo.empty()) {
      const PoolId p = todo.back();
      todo.pop_back();
      if (chosen_[p.v]) continue;
      chosen_[p.v] = true;
      auto edge = std::lower_bound(up.begin(), up.end(), std::pair{p, PoolId{0}});
      for (; edge != up.end() && edge->first == p; ++edge) todo.push_back(edge->second);
    }
  }

  Result<void> write() {
    pieces_.text() += "{\"graph\": {\"nodes\": ";
    json_.open('[');
    std::vector<PoolId> by_creation(graph_.pool_count());
    for (std::uint32_t v = 0; v < graph_.pool_count(); ++v) {
      by_creation[graph_.created(PoolId{v})] = PoolId{v};
    }
    for (PoolId p : by_creation) {
      if (graph_.removed(p) || !has(p)) continue;
      write_pool(p);
      if (!pieces_.step()) return pieces_.finish();
    }
    json_.close(']');
    json_.key("edges");
    json_.open('[');
    // A reader gives a pool to the parent of its last edge: those of the tree come last.
    write_edges(false);
    write_edges(true);
    pieces_.text() += "]}}\n";
    return pieces_.finish();
  }

 private:
  [[nodiscard]] bool has(PoolId p) const { return chosen_.empty() || chosen_[p.v]; }

  void write_pool(PoolId p) {
    json_.object([&] {
      json_.member("id", std::to_string(graph_.created(p)));
      json_.object("metadata", [&] {
        write_jgf_metadata(json_, graph_, p, false);
        if (graph_.uniq_id(p) != graph_.created(p)) json_.member("uniq_id", graph_.uniq_id(p));
        if (std::binary_search(down_.begin(), down_.end(), p)) json_.member("status", 1);
      });
    });
  }

  void write_edges(bool of_tree) {
    bool open = true;
    graph_.for_each_edge([&](const Edge& e) {
      const bool in_tree = e.subsystem == graph_.dominant() && graph_.parent(e.to) == e.from;
      if (in_tree != of_tree || !open || !has(e.from) || !has(e.to)) return;
      write_jgf_edge(json_, graph_.created(e.from), graph_.created(e.to),
                     graph_.subsystem_name(e.subsystem),
                     {graph_.names().relations.text(e.relation.v),
                      graph_.names().relations.text(e.reverse.v)});
      open = pieces_.step();
    });
  }

  const ResourceGraph& graph_;
  TextPieces pieces_;
  JsonWriter json_{pieces_.text()};
  std::vector<PoolId> down_;
  std::vector<bool> chosen_;  // by pool; empty: all
};

}  // namespace

Result<void> write_jgf(const ResourceGraph& graph, const TextSink& sink) {
  return GraphJgf(graph, sink).write();
}

Result<void> write_jgf(const ResourceGraph& graph, std::span<const PoolId> pools,
                       const TextSink& sink) {
  GraphJgf writer(graph, sink);
  writer.choose(pools);
  return writer.write();
}

Result<void> write_jgf(const ResourceGraph& graph, std::string& out) {
  return write_jgf(graph, sink_into(out));
}

}  // namespace copse
