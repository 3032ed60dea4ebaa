// SPDX-License-Identifier: Apache-2.0
#include "formats/jgf.hpp"

#include <algorithm>

#include "formats/json_text.hpp"

namespace copse {

namespace {

class JgfText {
 public:
  JgfText(const Emission& emission, std::string& out)
      : emission_(emission), graph_(emission.graph), out_(out) {}

  void node(const Emitted& e) {
    const PoolId p = e.pool;
    name_.clear();
    graph_.append_name(p, name_);
    out_ += "{\"id\": \"";
    append_number(out_, graph_.uniq_id(p));
    out_ += "\", \"metadata\": {\"type\": ";
    append_json(out_, graph_.type_name(p));
    const std::string& basename = graph_.basename_text(p);
    if (basename != graph_.type_name(p)) member("basename", basename);
    // A reader makes the name of basename and id; a pool without id says its own.
    if (graph_.id(p) == -1) member("name", name_);
    out_ += ", \"id\": ";
    append_number(out_, graph_.id(p));
    out_ += ", \"rank\": ";
    append_number(out_, graph_.rank(p));
    if (const auto* properties = graph_.properties(p)) {
      out_ += ", \"properties\": {";
      bool first = true;
      for (const auto& [key, value] : *properties) {
        if (!first) out_ += ", ";
        first = false;
        append_json(out_, key);
        out_ += ": ";
        append_json(out_, value);
      }
      out_ += '}';
    }
    if (!graph_.unit_text(p).empty()) member("unit", graph_.unit_text(p));
    if (e.exclusive) out_ += ", \"exclusive\": true";
    if (graph_.size(p) != 1) {
      out_ += ", \"size\": ";
      append_number(out_, graph_.size(p));
    }
    paths(p);
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
  void member(std::string_view key, std::string_view value) {
    out_ += ", \"";
    out_ += key;
    out_ += "\": ";
    append_json(out_, value);
  }

  void paths(PoolId p) {
    out_ += ", \"paths\": {";
    bool first = true;
    for (std::uint32_t s = 0; s < graph_.subsystem_count(); ++s) {
      const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
      if (!graph_.in_subsystem(p, subsystem)) continue;
      if (!first) out_ += ", ";
      first = false;
      append_json(out_, graph_.subsystem_name(subsystem));
      out_ += ": ";
      append_json(out_, graph_.path(p, subsystem));
    }
    out_ += '}';
  }

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
  std::string name_;
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
