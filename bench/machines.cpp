// SPDX-License-Identifier: Apache-2.0
#include "machines.hpp"

#include <fmt/format.h>

#include <iterator>

namespace copse::bench {

namespace {

constexpr const char* kKeys = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="root" for="node" attr.name="root" attr.type="int"><default>0</default></key>
  <key id="type" for="node" attr.name="type" attr.type="string"/>
  <key id="basename" for="node" attr.name="basename" attr.type="string"/>
  <key id="size" for="node" attr.name="size" attr.type="long"><default>1</default></key>
  <key id="unit" for="node" attr.name="unit" attr.type="string"/>
  <key id="subsystem" for="node" attr.name="subsystem" attr.type="string"><default>containment</default></key>
  <key id="e_subsystem" for="edge" attr.name="e_subsystem" attr.type="string"><default>containment</default></key>
  <key id="relation" for="edge" attr.name="relation" attr.type="string"><default>contains</default></key>
  <key id="rrelation" for="edge" attr.name="rrelation" attr.type="string"><default>in</default></key>
  <key id="gen_method" for="edge" attr.name="gen_method" attr.type="string"><default>MULTIPLY</default></key>
  <key id="multi_scale" for="edge" attr.name="multi_scale" attr.type="int"><default>1</default></key>
  <key id="id_scope" for="edge" attr.name="id_scope" attr.type="int"><default>0</default></key>
  <key id="id_start" for="edge" attr.name="id_start" attr.type="int"><default>0</default></key>
  <key id="id_stride" for="edge" attr.name="id_stride" attr.type="int"><default>1</default></key>
  <key id="as_tgt_subsystem" for="edge" attr.name="as_tgt_subsystem" attr.type="string"><default>containment</default></key>
  <key id="as_tgt_uplvl" for="edge" attr.name="as_tgt_uplvl" attr.type="int"><default>1</default></key>
  <key id="as_src_uplvl" for="edge" attr.name="as_src_uplvl" attr.type="int"><default>1</default></key>
  <graph id="machine" edgedefault="directed">
)";

// Appends vertices in preorder and edges from parents to children; returns the part's number.
int append(const Part& part, int& next, std::string& vertices, std::string& edges) {
  const int own = next++;
  fmt::format_to(std::back_inserter(vertices), "    <node id=\"v{}\"{}>", own,
                 part.divisible ? " divisible=\"true\"" : "");
  if (own == 0) vertices += "<data key=\"root\">1</data>";
  fmt::format_to(std::back_inserter(vertices),
                 "<data key=\"type\">{}</data><data key=\"basename\">{}</data>"
                 "<data key=\"size\">{}</data>",
                 part.type, part.basename, part.size);
  if (!part.unit.empty()) {
    fmt::format_to(std::back_inserter(vertices), "<data key=\"unit\">{}</data>", part.unit);
  }
  vertices += "</node>\n";
  for (const Part& below : part.parts) {
    const int child = append(below, next, vertices, edges);
    fmt::format_to(std::back_inserter(edges),
                   "    <edge source=\"v{}\" target=\"v{}\"><data key=\"multi_scale\">{}</data>"
                   "<data key=\"id_scope\">{}</data><data key=\"id_start\">{}</data></edge>\n",
                   own, child, below.count, below.id_scope, below.id_start);
  }
  return own;
}

Part cores(std::int64_t count, int id_scope = 0) {
  return {.type = "core", .basename = "core", .count = count, .id_scope = id_scope};
}

Part nodes(std::int64_t count, std::int64_t id_start, std::vector<Part> parts) {
  return {.type = "node",
          .basename = "node",
          .count = count,
          .id_start = id_start,
          .parts = std::move(parts)};
}

Part gpus(std::int64_t count) { return {.type = "gpu", .basename = "gpu", .count = count}; }

Part cluster(std::vector<Part> parts) {
  return {.type = "cluster", .basename = "cluster", .parts = std::move(parts)};
}

}  // namespace

std::uint64_t Part::pools() const {
  std::uint64_t n = 1;
  for (const Part& below : parts) n += static_cast<std::uint64_t>(below.count) * below.pools();
  return n;
}

std::string grug_text(const Part& root) {
  int next = 0;
  std::string vertices, edges;
  append(root, next, vertices, edges);
  return kKeys + vertices + edges + "  </graph>\n</graphml>\n";
}

Part flat(std::int64_t node_count, std::int64_t core_count) {
  return cluster({nodes(node_count, 0, {cores(core_count)})});
}

Part racks_of_16(std::int64_t node_count) {
  Part node = nodes(16, 0, {cores(32)});
  node.id_scope = 1;
  return cluster({{.type = "rack", .basename = "rack", .count = node_count / 16, .parts = {node}}});
}

Part blocks_of_128(std::int64_t node_count) {
  Part node = nodes(16, 0, {cores(32)});
  node.id_scope = 2;
  const Part rack{.type = "rack", .basename = "rack", .count = 8, .id_scope = 1, .parts = {node}};
  return cluster(
      {{.type = "block", .basename = "block", .count = node_count / 128, .parts = {rack}}});
}

Part two_sockets(std::int64_t node_count) {
  const Part socket{.type = "socket", .basename = "socket", .count = 2, .parts = {cores(48, 1)}};
  return cluster({nodes(node_count, 0, {socket})});
}

Part sierra_like() {
  const Part memory{.type = "memory", .basename = "memory", .count = 15, .size = 8, .unit = "GB"};
  const Part gpu{.type = "gpu", .basename = "gpu", .count = 2, .id_scope = 1};
  const Part socket{
      .type = "socket", .basename = "socket", .count = 2, .parts = {cores(22, 1), gpu, memory}};
  Part node = nodes(18, 0, {socket});
  node.id_scope = 1;
  const Part rack{.type = "rack", .basename = "rack", .count = 240, .parts = {node}};
  const Part storage{
      .type = "storage", .basename = "storage", .count = 312, .size = 1024, .unit = "GB"};
  return cluster({rack, storage});
}

Part racks_of_two_kinds(std::int64_t n) {
  const auto memory = [](std::int64_t count) {
    return Part{.type = "memory",
                .basename = "memory",
                .count = count,
                .size = 16,
                .unit = "GB",
                .id_scope = 1};
  };
  Part gpu = gpus(2);
  gpu.id_scope = 1;
  const Part big{
      .type = "socket", .basename = "socket", .count = 2, .parts = {cores(22, 1), gpu, memory(4)}};
  const Part small{
      .type = "socket", .basename = "socket", .count = 2, .parts = {cores(4, 1), memory(1)}};
  const Part bb{.type = "bb", .basename = "bb", .count = 8, .size = 192, .unit = "GB"};
  const Part rack{.type = "rack",
                  .basename = "rack",
                  .count = n / 20,
                  .parts = {nodes(12, 0, {big, bb}), nodes(8, 12, {small})}};
  return cluster({rack});
}

Part three_kinds(std::int64_t n) {
  return cluster({nodes(n * 6 / 10, 0, {cores(32)}), nodes(n * 3 / 10, n * 6 / 10, {cores(64)}),
                  nodes(n / 10, n * 9 / 10, {cores(16), gpus(4)})});
}

Part two_kinds(std::int64_t n) {
  return cluster({nodes(n / 2, 0, {cores(64)}), nodes(n / 2, n / 2, {cores(16), gpus(4)})});
}

Part two_kinds_in_racks(std::int64_t n) {
  const Part rack{.type = "rack",
                  .basename = "rack",
                  .count = n / 4,
                  .parts = {nodes(2, 0, {cores(64)}), nodes(2, 2, {cores(16), gpus(4)})}};
  return cluster({rack});
}

}  // namespace copse::bench
