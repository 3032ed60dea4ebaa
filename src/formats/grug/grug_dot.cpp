// SPDX-License-Identifier: Apache-2.0
#include "formats/grug/grug_dot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace copse::grug {
namespace {

// Inside a double-quoted DOT string a quote ends the string and a backslash starts an escape.
void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
}

void append_vertex(std::string& out, const Vertex& vertex, DotDetail detail) {
  if (detail == DotDetail::more) {
    append_escaped(out, vertex.subsystem.value);
    out += ':';
  }
  append_escaped(out, vertex.basename.value);
  if (detail == DotDetail::more) fmt::format_to(std::back_inserter(out), ":{}", vertex.size.value);
}

void append_edge(std::string& out, const Edge& edge, DotDetail detail) {
  append_escaped(out, edge.relation.value);
  if (detail == DotDetail::basic) return;
  fmt::format_to(std::back_inserter(out), ":{}:{}", edge.gen_method.value, edge.multi_scale.value);
}

}  // namespace

std::string to_dot(const Recipe& recipe, DotDetail detail) {
  std::string out = "digraph G {\n";
  for (std::size_t v = 0; v < recipe.vertices.size(); ++v) {
    fmt::format_to(std::back_inserter(out), "{}[label=\"", v);
    append_vertex(out, recipe.vertices[v], detail);
    out += "\"];\n";
  }
  std::vector<std::uint32_t> by_source(recipe.edges.size());
  std::iota(by_source.begin(), by_source.end(), 0U);
  std::ranges::sort(by_source, {},
                    [&](std::uint32_t e) { return std::pair(recipe.edges[e].source, e); });
  for (const std::uint32_t e : by_source) {
    const Edge& edge = recipe.edges[e];
    fmt::format_to(std::back_inserter(out), "{}->{} [label=\"", edge.source, edge.target);
    append_edge(out, edge, detail);
    out += "\"];\n";
  }
  return out + "}\n";
}

}  // namespace copse::grug
