// SPDX-License-Identifier: Apache-2.0
//
// JGF documents and graphs for tests in a few words.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "formats/jgf/jgf.hpp"

namespace copse::jgf {

// A node with this metadata behind its type; paths as given, or "" for none.
inline std::string node(const std::string& id, const std::string& type, const std::string& path,
                        const std::string& more = "") {
  std::string text = R"({"id": ")" + id + R"(", "metadata": {"type": ")" + type + '"';
  if (!path.empty()) text += R"(, "paths": {"containment": ")" + path + R"("})";
  if (!more.empty()) text += ", " + more;
  return text + "}}";
}
inline std::string edge(const std::string& source, const std::string& target,
                        const std::string& subsystem = "") {
  std::string text = R"({"source": ")" + source + R"(", "target": ")" + target + '"';
  if (!subsystem.empty()) text += R"(, "metadata": {"subsystem": ")" + subsystem + R"("})";
  return text + "}";
}

// Each node stands in a line of its own, the first in line 2; then each edge, after a line "edges".
inline std::string document(const std::vector<std::string>& nodes,
                            const std::vector<std::string>& edges) {
  const auto lines = [](const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "\n" : ",\n") + item;
    return text;
  };
  return R"({"graph": {"nodes": [)" + lines(nodes) + "\n],\"edges\": [" + lines(edges) + "]}}";
}

inline ResourceGraph must_read(const std::string& text, std::string_view dominant = "containment") {
  auto graph = read_jgf(text, {.file = "m"}, dominant);
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().message());
  if (!graph) std::abort();
  return std::move(*graph);
}

inline std::string refusal(const std::string& text, const JgfLimits& limits = {}) {
  const auto graph = read_jgf(text, {.file = "m", .limits = limits});
  return graph ? "accepted" : graph.error().message();
}

// All that JGF can say of a graph, a line a pool in order of creation, then a line a parent and
// subsystem with its children.
inline std::string described(const ResourceGraph& g) {
  std::map<std::uint32_t, std::string> pools;
  std::map<std::string, std::string> children;
  std::map<std::uint32_t, bool> down;
  for (PoolId p : g.initially_down()) down[p.v] = true;
  for (std::uint32_t v = 0; v < g.pool_count(); ++v) {
    const PoolId p{v};
    std::string line = g.type_name(p) + ' ' + g.basename_text(p) + ' ' + g.name(p) + ' ' +
                       g.unit_text(p) + ' ' + std::to_string(g.id(p)) + ' ' +
                       std::to_string(g.size(p)) + ' ' + std::to_string(g.rank(p)) + ' ' +
                       std::to_string(g.uniq_id(p)) + (down[v] ? " down" : " up");
    std::map<std::string, std::string> paths;
    for (std::uint32_t s = 0; s < g.subsystem_count(); ++s) {
      const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
      const std::string& name = g.subsystem_name(subsystem);
      if (g.in_subsystem(p, subsystem)) paths[name] = g.path(p, subsystem);
      if (g.subsystem_root(subsystem) == p) line += " root of " + name;
      std::string& below = children[name + ' ' + std::to_string(g.created(p))];
      for (PoolId c : g.children(p, subsystem)) below += ' ' + std::to_string(g.created(c));
    }
    for (const auto& [subsystem, path] : paths) line += ' ' + subsystem + '=' + path;
    if (const auto* properties = g.properties(p)) {
      for (const auto& [key, value] : *properties) line += " [" + key + '=' + value + ']';
    }
    pools[g.created(p)] = line;
  }
  std::string text;
  for (const auto& [created, line] : pools) text += std::to_string(created) + ": " + line + '\n';
  for (const auto& [parent, below] : children) {
    if (!below.empty()) text += parent + " >" + below + '\n';
  }
  return text;
}

}  // namespace copse::jgf
