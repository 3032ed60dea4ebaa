// SPDX-License-Identifier: Apache-2.0
#include "queue/config/queue_nodes.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "base/scan_text.hpp"
#include "graph/node_names.hpp"
#include "request/constraint.hpp"
#include "rset/rset_properties.hpp"

namespace copse::queue {

Result<void> check_hosts(const QueueConfig& config, const ResourceGraph& graph) {
  if (config.hosts.empty()) return {};
  const std::vector<std::string> names = node_names(graph);
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  for (const QueueConfig::Hosts& hosts : config.hosts) {
    for (const std::string& host : hosts.names) {
      if (known.contains(host)) continue;
      return fail(ErrorCode::not_found, "hosts: " + no_such_node(graph, host), hosts.place);
    }
  }
  return {};
}

namespace {

bool has_node_for(const ResourceGraph& graph, const Constraint& wanted) {
  const TypeId node = graph.find_type("node");
  if (node == kNoType) return true;  // without nodes, no constraint excludes any
  return std::ranges::any_of(graph.of_type(node), [&](PoolId p) {
    return graph.in_tree(p) && holds(wanted, {graph.name(p), graph.rank(p), graph.properties(p)});
  });
}

}  // namespace

Result<void> check_requires(const QueueConfig& config, const ResourceGraph& graph) {
  for (const QueueSpec& line : config.queues) {
    const std::vector<std::string> unknown = unknown_properties(graph, line.constraint);
    if (!unknown.empty()) {
      return fail(ErrorCode::not_found,
                  fmt::format("the queue {}: {}", shown_word(line.name), unknown.front()));
    }
    if (line.constraint.empty() || has_node_for(graph, line.constraint)) continue;
    return fail(
        ErrorCode::invalid,
        fmt::format("the queue {}: no node has all that it requires; none of its jobs could "
                    "ever start (requires, hosts)",
                    shown_word(line.name)));
  }
  return {};
}

}  // namespace copse::queue
