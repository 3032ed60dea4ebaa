// SPDX-License-Identifier: Apache-2.0
#include "formats/named_pools.hpp"

#include <unordered_map>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/idset.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "graph/node_names.hpp"

namespace copse {

namespace {

// The nodes of a hostlist, in the order of the graph.
Result<std::vector<PoolId>> nodes_of_hosts(const ResourceGraph& graph, const std::string& text) {
  const auto hosts = expand_hostlist(text);
  if (!hosts) return std::unexpected(hosts.error());
  std::unordered_map<std::string_view, bool> found;
  for (const std::string& host : *hosts) found.emplace(host, false);
  const TypeId node = graph.find_type("node");
  std::vector<PoolId> out;
  std::string name;
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    if (graph.type(PoolId{v}) != node || graph.removed(PoolId{v})) continue;
    name.clear();
    graph.append_name(PoolId{v}, name);
    const auto at = found.find(name);
    if (at == found.end()) continue;
    at->second = true;
    out.push_back(PoolId{v});
  }
  for (const std::string& host : *hosts) {
    if (found[host]) continue;
    return fail(ErrorCode::not_found, no_such_node(graph, host));
  }
  return out;
}

}  // namespace

Result<std::vector<PoolId>> named_pools(const ResourceGraph& graph, const std::string& where,
                                        const std::string& what) {
  if (where.starts_with('/')) {
    auto pools = graph.at_path(where);
    if (pools.empty()) return fail(ErrorCode::not_found, "no pool has the path " + where);
    return pools;
  }
  const auto refused = [&](Error error) {
    if (error.place.line == 0) {
      error.text = what + ": " + error.text;
    } else {
      error.place.file = what;
    }
    return std::unexpected(std::move(error));
  };
  if (where.find_first_not_of("0123456789,-[]") != std::string::npos) {
    auto nodes = nodes_of_hosts(graph, where);
    return nodes ? std::move(nodes) : refused(nodes.error());
  }
  const auto ranks = Idset::parse(where);
  if (!ranks) return refused(ranks.error());
  if (const auto rank = unknown_rank(graph, *ranks)) {
    return refused({ErrorCode::not_found, fmt::format("the machine has no rank {}", *rank), {}});
  }
  return tops_of_ranks(graph, *ranks);
}

}  // namespace copse
