// SPDX-License-Identifier: Apache-2.0
#include "formats/jgf/jgf_pool.hpp"

#include "text/json_text.hpp"

namespace copse {
namespace {

void member(std::string_view key, std::string_view value, std::string& out) {
  out += ", \"";
  out += key;
  out += "\": ";
  append_json(out, value);
}

void append_properties(const ResourceGraph::Attributes& properties, std::string& out) {
  out += ", \"properties\": {";
  bool first = true;
  for (const auto& [key, value] : properties) {
    if (!first) out += ", ";
    first = false;
    append_json(out, key);
    out += ": ";
    append_json(out, value);
  }
  out += '}';
}

void append_paths(const ResourceGraph& graph, PoolId p, std::string& out) {
  out += ", \"paths\": {";
  bool first = true;
  for (std::uint32_t s = 0; s < graph.subsystem_count(); ++s) {
    const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
    if (!graph.in_subsystem(p, subsystem)) continue;
    if (!first) out += ", ";
    first = false;
    append_json(out, graph.subsystem_name(subsystem));
    out += ": ";
    append_json(out, graph.path(p, subsystem));
  }
  out += '}';
}

}  // namespace

void append_jgf_metadata(const ResourceGraph& graph, PoolId p, bool exclusive, std::string& out,
                         std::int64_t drawn) {
  out += "\"type\": ";
  append_json(out, graph.type_name(p));
  const std::string& basename = graph.basename_text(p);
  if (basename != graph.type_name(p)) member("basename", basename, out);
  // A reader makes the name of basename and id: what it cannot make is said.
  if (graph.id(p) == -1 || graph.has_own_name(p)) member("name", graph.name(p), out);
  out += ", \"id\": ";
  append_number(out, graph.id(p));
  out += ", \"rank\": ";
  append_number(out, graph.rank(p));
  if (const auto* properties = graph.properties(p)) append_properties(*properties, out);
  if (!graph.unit_text(p).empty()) member("unit", graph.unit_text(p), out);
  if (exclusive) out += ", \"exclusive\": true";
  if (drawn > 0) out += ", \"drawn\": true";
  if (drawn > 0 || graph.size(p) != 1) {
    out += ", \"size\": ";
    append_number(out, drawn > 0 ? drawn : graph.size(p));
  }
  append_paths(graph, p, out);
}

}  // namespace copse
