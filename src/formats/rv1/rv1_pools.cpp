// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/rv1_pools.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/text_format.hpp"
#include "graph/node_names.hpp"

namespace copse {

namespace {
bool has_rank(const ResourceGraph& graph, std::int64_t rank) {
  return rank <= INT32_MAX && !graph.of_rank(static_cast<std::int32_t>(rank)).empty();
}
}  // namespace

std::optional<std::int64_t> unknown_rank(const ResourceGraph& graph, const Idset& ranks) {
  for (const auto& [first, last] : ranks.ranges()) {
    for (std::int64_t rank = first; rank <= last; ++rank) {
      if (!has_rank(graph, rank)) return rank;
    }
  }
  return std::nullopt;
}

Result<std::vector<PoolId>> tops_of_ranks(const ResourceGraph& graph, const Idset& ranks) {
  if (const auto rank = unknown_rank(graph, ranks)) {  // Fluxion's sentence
    return fail(ErrorCode::not_found, fmt::format("{} not found in by_rank map.", *rank));
  }
  std::vector<PoolId> out;
  for (const auto& [first, last] : ranks.ranges()) {
    for (std::int64_t rank = first; rank <= last; ++rank) {
      for (PoolId p : graph.of_rank(static_cast<std::int32_t>(rank))) {
        bool below = false;
        for (PoolId up = graph.parent(p); up != kNoPool && !below; up = graph.parent(up)) {
          below = graph.rank(up) == rank;
        }
        if (!below) out.push_back(p);
      }
    }
  }
  return out;
}

Result<std::vector<PoolId>> pools_of_ranks(const ResourceGraph& graph, const Idset& ranks) {
  auto tops = tops_of_ranks(graph, ranks);
  if (!tops) return tops;
  std::vector<PoolId> out;
  for (PoolId top : *tops) {
    graph.preorder(top, [&](PoolId p) {
      out.push_back(p);
      return true;
    });
  }
  return out;
}

namespace {

// The pool of a type and id below a node; kNoPool if there is none.
PoolId child_of(const ResourceGraph& graph, PoolId node, std::string_view type, std::int64_t id) {
  PoolId found = kNoPool;
  for (const ChildRun& run : graph.shape(node).runs) {
    if (graph.type_name(run.type) != type) continue;
    const auto children = graph.children(node).subspan(run.first, run.count);
    const std::int64_t first = graph.id(children.front());
    // Ids mostly ascend by one.
    if (id >= first && id - first < run.count &&
        graph.id(children[static_cast<std::size_t>(id - first)]) == id) {
      return children[static_cast<std::size_t>(id - first)];
    }
    for (PoolId c : children) {
      if (graph.id(c) == id) found = c;
    }
  }
  if (found != kNoPool) return found;
  graph.preorder(node, [&](PoolId p) {
    if (found == kNoPool && graph.id(p) == id && graph.type_name(p) == type) found = p;
    return found == kNoPool;
  });
  return found;
}

}  // namespace

namespace {

// The ranks that the machine has; the others are named.
Idset known_ranks(const ResourceGraph& graph, const Idset& ranks,
                  std::vector<std::string>& missing) {
  Idset out;
  for (const auto& [first, last] : ranks.ranges()) {
    for (std::int64_t rank = first; rank <= last; ++rank) {
      if (has_rank(graph, rank)) {
        out.add(rank);
      } else {
        missing.push_back(fmt::format("the machine has no rank {}", rank));
      }
    }
  }
  return out;
}

}  // namespace

namespace {

// The node of a rank; no node: the root.
PoolId node_of(const ResourceGraph& graph, TypeId type, std::int64_t rank) {
  const auto pools = graph.of_rank(static_cast<std::int32_t>(rank));
  const auto at = std::ranges::find(pools, type, [&](PoolId p) { return graph.type(p); });
  return at == pools.end() ? graph.root() : *at;
}

// Says which hosts of the R the machine has under no rank, where it has another node of that rank.
void compare_hosts(const ResourceGraph& graph, const RSet& r, std::vector<std::string>& missing) {
  if (r.hosts.empty()) return;
  const TypeId type = graph.find_type("node");
  std::vector<std::string> known;  // read if a name differs
  std::size_t host = 0;
  const Idset ranks = r.ranks();
  for (const auto& [first, last] : ranks.ranges()) {
    for (std::int64_t rank = first; rank <= last && host < r.hosts.size(); ++rank, ++host) {
      if (!has_rank(graph, rank)) continue;
      const PoolId node = node_of(graph, type, rank);
      if (node == graph.root() || graph.name(node) == r.hosts[host]) continue;
      if (known.empty()) {
        known = node_names(graph);
        std::ranges::sort(known);
      }
      if (std::ranges::binary_search(known, r.hosts[host])) continue;
      missing.push_back(fmt::format("the machine has no node {:.64}; its rank {} is {}",
                                    r.hosts[host], rank, graph.name(node)));
    }
  }
}

}  // namespace

Result<std::vector<PoolId>> pools_of_r(const ResourceGraph& graph, const RSet& r,
                                       std::vector<std::string>* missing) {
  std::vector<PoolId> out;
  if (missing != nullptr) compare_hosts(graph, r, *missing);
  for (const RSet::Entry& entry : r.entries) {
    auto nodes = tops_of_ranks(
        graph, missing == nullptr ? entry.ranks : known_ranks(graph, entry.ranks, *missing));
    if (!nodes) return nodes;
    for (PoolId node : *nodes) {
      std::vector<PoolId> taken;
      for (const auto& [type, ids] : entry.children) {
        for (const auto& [first, last] : ids.ranges()) {
          for (std::int64_t id = first; id <= last; ++id) {
            const PoolId child = child_of(graph, node, type, id);
            if (child != kNoPool) {
              taken.push_back(child);
              continue;
            }
            std::string none = fmt::format("{} has no {}{}", graph.name(node), type, id);
            if (missing == nullptr) return fail(ErrorCode::not_found, std::move(none));
            missing->push_back(std::move(none));
          }
        }
      }
      std::sort(taken.begin(), taken.end());
      taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
      const bool all =
          std::all_of(graph.children(node).begin(), graph.children(node).end(),
                      [&](PoolId c) { return std::binary_search(taken.begin(), taken.end(), c); });
      if (all) out.push_back(node);
      out.insert(out.end(), taken.begin(), taken.end());
    }
  }
  return out;
}

bool has_graph(const RScheduling& scheduling) {
  return text_format(scheduling.text) == TextFormat::jgf;
}

bool describes(const ResourceGraph& graph, const RSet& r) {
  const auto pools_of = [&](std::string_view type) {
    return std::ssize(graph.of_type(graph.find_type(type)));
  };
  return pools_of("node") == r.ranks().count() && pools_of("core") == count(r, "core") &&
         pools_of_r(graph, r).has_value();
}

}  // namespace copse
