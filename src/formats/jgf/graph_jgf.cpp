// SPDX-License-Identifier: Apache-2.0
#include "formats/jgf/graph_jgf.hpp"

#include <algorithm>
#include <vector>

#include "formats/jgf/jgf_pool.hpp"
#include "text/json_text.hpp"

namespace copse {
namespace {

class GraphJgf {
 public:
  GraphJgf(const ResourceGraph& graph, const TextSink& sink) : graph_(graph), pieces_(sink) {
    const auto down = graph.born_down();
    down_.assign(down.begin(), down.end());
    std::sort(down_.begin(), down_.end());
  }

  Result<void> write() {
    pieces_.text() += "{\"graph\": {\"nodes\": [";
    std::vector<PoolId> by_creation(graph_.pool_count());
    for (std::uint32_t v = 0; v < graph_.pool_count(); ++v) {
      by_creation[graph_.created(PoolId{v})] = PoolId{v};
    }
    for (PoolId p : by_creation) {
      if (graph_.removed(p)) continue;
      append_pool(p);
      if (!pieces_.step()) return pieces_.finish();
    }
    pieces_.text() += "], \"edges\": [";
    first_ = true;
    // A reader gives a pool to the parent of its last edge: those of the tree come last.
    append_edges(false);
    append_edges(true);
    pieces_.text() += "]}}\n";
    return pieces_.finish();
  }

 private:
  void append_pool(PoolId p) {
    std::string& out = pieces_.text();
    separate(out);
    out += "{\"id\": \"";
    append_number(out, graph_.created(p));
    out += "\", \"metadata\": {";
    append_jgf_metadata(graph_, p, false, out);
    if (graph_.uniq_id(p) != graph_.created(p)) {
      out += ", \"uniq_id\": ";
      append_number(out, graph_.uniq_id(p));
    }
    if (std::binary_search(down_.begin(), down_.end(), p)) out += ", \"status\": 1";
    out += "}}";
  }

  void append_edges(bool of_tree) {
    bool open = true;
    graph_.for_each_edge([&](const Edge& e) {
      const bool in_tree = e.subsystem == graph_.dominant() && graph_.parent(e.to) == e.from;
      if (in_tree != of_tree || !open) return;
      std::string& out = pieces_.text();
      separate(out);
      out += "{\"source\": \"";
      append_number(out, graph_.created(e.from));
      out += "\", \"target\": \"";
      append_number(out, graph_.created(e.to));
      out += '"';
      const std::string& subsystem = graph_.subsystem_name(e.subsystem);
      if (subsystem != "containment") {
        out += ", \"metadata\": {\"subsystem\": ";
        append_json(out, subsystem);
        out += '}';
      }
      out += '}';
      open = pieces_.step();
    });
  }

  void separate(std::string& out) {
    if (!first_) out += ", ";
    first_ = false;
  }

  const ResourceGraph& graph_;
  TextPieces pieces_;
  std::vector<PoolId> down_;
  bool first_ = true;
};

}  // namespace

Result<void> write_jgf(const ResourceGraph& graph, const TextSink& sink) {
  return GraphJgf(graph, sink).write();
}

Result<void> write_jgf(const ResourceGraph& graph, std::string& out) {
  return write_jgf(graph, [&](std::string_view piece) {
    out += piece;
    return true;
  });
}

}  // namespace copse
