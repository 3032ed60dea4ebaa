// SPDX-License-Identifier: Apache-2.0
#include "graph/node_names.hpp"

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/nearest_word.hpp"

namespace copse {

std::vector<std::string> node_names(const ResourceGraph& graph) {
  const TypeId node = graph.find_type("node");
  std::vector<std::string> out;
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    const PoolId p{v};
    if (graph.type(p) == node && !graph.removed(p)) out.push_back(graph.name(p));
  }
  return out;
}

std::string no_such_node(const ResourceGraph& graph, std::string_view name) {
  std::string out = "the machine has no node " + shown_word(name);
  const std::vector<std::string> nodes = node_names(graph);
  if (same_word(name, "ALL")) {
    return fmt::format("{}; all nodes are {:.128}", out, compress_hostlist(nodes));
  }
  std::string other;
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    if (graph.removed(PoolId{v})) continue;
    other.clear();
    graph.append_name(PoolId{v}, other);
    if (other != name) continue;
    return fmt::format("{}; {} is a {}: {:.128}", out, shown_word(name), graph.type_name(PoolId{v}),
                       graph.path(PoolId{v}, graph.dominant()));
  }
  const std::vector<std::string_view> known(nodes.begin(), nodes.end());
  const std::string_view nearest = nearest_word(name, known);
  if (!nearest.empty()) out += fmt::format("; did you mean {}?", shown_word(nearest));
  return out;
}

}  // namespace copse
