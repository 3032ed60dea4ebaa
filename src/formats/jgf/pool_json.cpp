// SPDX-License-Identifier: Apache-2.0
#include "formats/jgf/pool_json.hpp"

#include <cstdint>

#include "text/json_writer.hpp"

namespace copse {

namespace {

void write_words(JsonWriter& json, const char* key, const ResourceGraph::Attributes* words) {
  json.object(key, [&] {
    if (words == nullptr) return;
    for (const auto& [word, value] : *words) json.member(word, value);
  });
}

}  // namespace

void append_pool_json(std::string& out, const ResourceGraph& graph, PoolId pool, Status status) {
  JsonWriter json(out);
  json.object([&] {
    json.member("path", graph.path(pool, graph.dominant()));
    json.member("type", graph.type_name(pool));
    json.member("basename", graph.basename_text(pool));
    json.member("name", graph.name(pool));
    if (graph.id(pool) != -1) json.member("id", graph.id(pool));
    json.member("uuid", graph.uuid(pool));
    json.member("size", graph.size(pool));
    if (!graph.unit_text(pool).empty()) json.member("unit", graph.unit_text(pool));
    if (graph.rank(pool) != -1) json.member("rank", graph.rank(pool));
    json.member("status", word(status));
    write_words(json, "properties", graph.properties(pool));
    write_words(json, "tags", graph.tags(pool));
    json.object("subsystems", [&] {
      for (std::uint32_t s = 0; s < graph.subsystem_count(); ++s) {
        const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
        if (!graph.in_subsystem(pool, subsystem)) continue;
        json.member(graph.subsystem_name(subsystem), graph.path(pool, subsystem));
      }
    });
  });
}

}  // namespace copse
