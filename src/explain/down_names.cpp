// SPDX-License-Identifier: Apache-2.0
#include "explain/down_names.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/hostlist.hpp"

namespace copse {

namespace {

constexpr std::size_t kDownNamesMax = 4096;  // names that are tried to fill kDownBytesMax

// The node that is p or contains p; p itself if there is none.
PoolId named_pool(const ResourceGraph& graph, TypeId node, PoolId p) {
  for (PoolId up = p; up != kNoPool; up = graph.parent(up)) {
    if (graph.type(up) == node) return up;
  }
  return p;
}

}  // namespace

void set_down(const ResourceGraph& graph, std::span<const PoolId> pools, Finding& finding) {
  const TypeId node = graph.find_type("node");
  std::vector<std::string> names;
  std::uint64_t unnamed = 0;
  PoolId last = kNoPool;
  for (const PoolId p : pools) {
    const PoolId named = named_pool(graph, node, p);
    if (named == last) continue;
    last = named;
    if (names.size() == kDownNamesMax) {
      ++unnamed;
    } else {
      names.push_back(graph.type(named) == node ? graph.name(named)
                                                : graph.path(named, graph.dominant()));
    }
  }
  if (names.empty()) return;
  ShortHostlist shown = compress_first_hosts(names, Finding::kDownBytesMax);
  finding.down = std::move(shown.text);
  finding.more_down = shown.left + unnamed;
}

}  // namespace copse
