// SPDX-License-Identifier: Apache-2.0
#include "formats/graphml/graph_graphml.hpp"

#include <cstddef>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "text/xml_text.hpp"

namespace copse {

namespace {

void append_data(std::string& out, std::string_view key, std::string_view text) {
  fmt::format_to(std::back_inserter(out), "<data key=\"{}\">", key);
  xml::append_text(out, text);
  out += "</data>";
}
void append_data(std::string& out, std::string_view key, std::int64_t number) {
  fmt::format_to(std::back_inserter(out), "<data key=\"{}\">{}</data>", key, number);
}

constexpr std::string_view kBegin =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="type" for="node" attr.name="type" attr.type="string"/>
<key id="basename" for="node" attr.name="basename" attr.type="string"/>
<key id="name" for="node" attr.name="name" attr.type="string"/>
<key id="id" for="node" attr.name="id" attr.type="long"><default>-1</default></key>
<key id="size" for="node" attr.name="size" attr.type="long"><default>1</default></key>
<key id="unit" for="node" attr.name="unit" attr.type="string"><default></default></key>
<key id="rank" for="node" attr.name="rank" attr.type="int"><default>-1</default></key>
<key id="uniq_id" for="node" attr.name="uniq_id" attr.type="long"/>
<key id="subsystem" for="edge" attr.name="subsystem" attr.type="string"/>
<key id="relation" for="edge" attr.name="relation" attr.type="string"/>
<key id="reverse" for="edge" attr.name="reverse" attr.type="string"/>
)";

class GraphmlEmitter {
 public:
  GraphmlEmitter(const ResourceGraph& graph, const ChosenPools& chosen)
      : graph_(graph), chosen_(chosen) {
    for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
      if (!chosen.contains(PoolId{v})) continue;
      note(graph.properties(PoolId{v}), properties_);
      note(graph.tags(PoolId{v}), tags_);
    }
  }

  void begin(std::string& out) const {
    out += kBegin;
    for (std::size_t place = 0; place < chosen_.subsystems().size(); ++place) {
      fmt::format_to(std::back_inserter(out),
                     "<key id=\"path{}\" for=\"node\" attr.name=\"path:", place);
      xml::append_text(out, graph_.subsystem_name(chosen_.subsystems()[place]));
      out += "\" attr.type=\"string\"/>\n";
    }
    declare(out, "property", properties_);
    declare(out, "tag", tags_);
    out += "<graph id=\"resources\" edgedefault=\"directed\">\n";
  }

  void pool(std::string& out, PoolId p) const {
    fmt::format_to(std::back_inserter(out), "<node id=\"n{}\">", p.v);
    append_data(out, "type", graph_.type_name(p));
    append_data(out, "basename", graph_.basename_text(p));
    append_data(out, "name", graph_.name(p));
    if (graph_.id(p) != -1) append_data(out, "id", graph_.id(p));
    if (graph_.size(p) != 1) append_data(out, "size", graph_.size(p));
    if (!graph_.unit_text(p).empty()) append_data(out, "unit", graph_.unit_text(p));
    if (graph_.rank(p) != -1) append_data(out, "rank", graph_.rank(p));
    append_data(out, "uniq_id", graph_.uniq_id(p));
    for (std::size_t place = 0; place < chosen_.subsystems().size(); ++place) {
      const std::string path = graph_.path(p, chosen_.subsystems()[place]);
      if (!path.empty()) append_data(out, fmt::format("path{}", place), path);
    }
    append_words(out, "property", graph_.properties(p), properties_);
    append_words(out, "tag", graph_.tags(p), tags_);
    out += "</node>\n";
  }

  void edge(std::string& out, const Edge& e) const {
    fmt::format_to(std::back_inserter(out), "<edge source=\"n{}\" target=\"n{}\">", e.from.v,
                   e.to.v);
    append_data(out, "subsystem", graph_.subsystem_name(e.subsystem));
    append_data(out, "relation", graph_.names().relations.text(e.relation.v));
    append_data(out, "reverse", graph_.names().relations.text(e.reverse.v));
    out += "</edge>\n";
  }

  static void end(std::string& out) { out += "</graph>\n</graphml>\n"; }

 private:
  using Numbers = std::map<std::string, std::size_t>;  // of keys

  static void note(const ResourceGraph::Attributes* words, Numbers& numbers) {
    if (words == nullptr) return;
    for (const auto& [key, value] : *words) numbers.try_emplace(key, numbers.size());
  }
  static void declare(std::string& out, std::string_view kind, const Numbers& numbers) {
    for (const auto& [key, number] : numbers) {
      fmt::format_to(std::back_inserter(out), "<key id=\"{}{}\" for=\"node\" attr.name=\"{}:", kind,
                     number, kind);
      xml::append_text(out, key);
      out += "\" attr.type=\"string\"/>\n";
    }
  }
  static void append_words(std::string& out, std::string_view kind,
                           const ResourceGraph::Attributes* words, const Numbers& numbers) {
    if (words == nullptr) return;
    for (const auto& [key, value] : *words) {
      append_data(out, fmt::format("{}{}", kind, numbers.at(key)), value);
    }
  }

  const ResourceGraph& graph_;
  const ChosenPools& chosen_;
  Numbers properties_, tags_;
};

}  // namespace

Result<void> write_graphml(const ResourceGraph& graph, std::span<const SubsystemId> subsystems,
                           const TextSink& sink) {
  return write_graph<GraphmlEmitter>(graph, subsystems, sink);
}

}  // namespace copse
