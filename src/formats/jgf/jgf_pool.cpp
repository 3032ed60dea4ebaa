// SPDX-License-Identifier: Apache-2.0
#include "formats/jgf/jgf_pool.hpp"

#include <string>

namespace copse {

void write_jgf_metadata(JsonWriter& json, const ResourceGraph& graph, PoolId p, bool exclusive,
                        const JgfAmounts& amounts) {
  const std::int64_t drawn = amounts.drawn;
  json.member("type", graph.type_name(p));
  const std::string& basename = graph.basename_text(p);
  if (basename != graph.type_name(p)) json.member("basename", basename);
  // A reader makes the name from basename and id; other names are written.
  if (graph.id(p) == -1 || graph.has_own_name(p)) json.member("name", graph.name(p));
  json.member("id", graph.id(p));
  json.member("rank", graph.rank(p));
  if (const auto* properties = graph.properties(p)) {
    json.object("properties", [&] {
      for (const auto& [key, value] : *properties) json.member(key, value);
    });
  }
  if (const auto* tags = graph.tags(p)) {
    json.object("tags", [&] {
      for (const auto& [key, value] : *tags) json.member(key, value);
    });
  }
  if (!graph.unit_text(p).empty()) json.member("unit", graph.unit_text(p));
  if (exclusive) json.member("exclusive", true);
  if (drawn > 0) json.member("drawn", true);
  const std::int64_t part = drawn > 0 ? drawn : amounts.units;
  const std::int64_t size = part > 0 ? part : graph.size(p);
  if (drawn > 0 || size != 1) json.member("size", size);
  if (graph.divisible(p)) json.member("divisible", true);
  json.object("paths", [&] {
    for (std::uint32_t s = 0; s < graph.subsystem_count(); ++s) {
      const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
      if (!graph.in_subsystem(p, subsystem)) continue;
      const std::string path = graph.path(p, subsystem);
      // After a name that ends with "/": readers refuse such a path, and make the same one.
      if (!path.ends_with('/')) json.member(graph.subsystem_name(subsystem), path);
    }
  });
}

void write_jgf_edge(JsonWriter& json, std::int64_t from, std::int64_t to,
                    const std::string& subsystem, const JgfRelations& relations) {
  const bool contains = relations.relation.empty() || relations.relation == "contains";
  const bool in = relations.reverse.empty() || relations.reverse == "in";
  json.object([&] {
    json.member("source", std::to_string(from));
    json.member("target", std::to_string(to));
    if (subsystem == "containment" && contains && in) return;
    json.object("metadata", [&] {
      if (subsystem != "containment" || !contains) json.member("subsystem", subsystem);
      if (!contains) json.object("name", [&] { json.member(subsystem, relations.relation); });
      if (!in) json.object("reverse", [&] { json.member(subsystem, relations.reverse); });
    });
  });
}

}  // namespace copse
