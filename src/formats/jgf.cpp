// SPDX-License-Identifier: Apache-2.0
#include "formats/jgf.hpp"

#include <algorithm>

#include "formats/jgf_pool.hpp"
#include "formats/json_text.hpp"

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

  void edge(PoolId from, PoolId to) {
    out_ += "{\"source\": \"";
    append_number(out_, graph_.uniq_id(from));
    out_ += "\", \"target\": \"";
    append_number(out_, graph_.uniq_id(to));
    out_ += '"';
    const std::string& subsystem = graph_.subsystem_name(graph_.dominant());
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
  out += "], \"edges\": [";
  first = true;
  for (const Emitted& e : emission.pools) {
    if (e.depth == 0 || (shorten && e.parent_exclusive)) continue;
    if (!first) out += ", ";
    first = false;
    text.edge(e.parent != kNoPool ? e.parent : emission.graph.parent(e.pool), e.pool);
  }
  out += "]}";
  if (shortened) out += ", \"writer\": \"fluxion:jgf_shorthand\"";
  out += '}';
}

}  // namespace copse
