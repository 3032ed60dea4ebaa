// SPDX-License-Identifier: Apache-2.0
#include "flux/machine.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "formats/hwloc/hwloc_read.hpp"
#include "formats/jgf/jgf.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_read.hpp"

namespace copse::flux {

Result<RSet> read_inventory(std::string_view r) {
  auto all = read_r(r, "R", {.rules = RRules::merging, .layouts = TreepoolLimits{}});
  if (!all) return all;
  return canonical(std::move(*all));
}

Result<std::unique_ptr<Engine>> engine_of_r(std::string_view r, const RSet& inventory,
                                            bool graph_in_r, EngineOptions options) {
  if (graph_in_r && has_graph(inventory.scheduling)) {
    auto graph = read_jgf(r, {.units = false});
    if (!graph) return std::unexpected(graph.error());
    if (describes(*graph, inventory)) return Engine::create(std::move(*graph), std::move(options));
  }
  auto graph = graph_of_r(inventory);
  if (!graph) return std::unexpected(graph.error());
  return Engine::create(std::move(*graph), std::move(options), inventory.layouts);
}

Result<std::unique_ptr<Engine>> engine_of_file(std::string_view text, const MachineText& how,
                                               EngineOptions options) {
  auto graph = read_machine(text, how);
  if (!graph) return std::unexpected(graph.error());
  return Engine::create(std::move(*graph), std::move(options));
}

Result<std::unique_ptr<Engine>> engine_of_topologies(std::span<const std::string> texts,
                                                     EngineOptions options) {
  std::vector<std::string> names;
  names.reserve(texts.size());
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    names.push_back(fmt::format("topology of rank {}", rank));
  }
  std::vector<HwlocText> nodes;
  nodes.reserve(texts.size());
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    nodes.push_back({.text = texts[rank], .file = names[rank]});
  }
  auto graph = read_hwloc_nodes(nodes, "node,socket,numanode,L3cache,core,gpu");
  if (!graph) return std::unexpected(graph.error());
  return Engine::create(std::move(*graph), std::move(options));
}

Result<void> keep_ranks(Engine& engine, const RSet& inventory) {
  const auto pools = pools_of_r(engine.graph(), inventory);
  if (!pools) {
    return fail(pools.error().code,
                "the machine is not that of the instance: " + pools.error().message());
  }
  const Idset ranks = inventory.ranks();
  std::vector<PoolId> others;
  for (const PoolId node : engine.graph().of_type(engine.graph().find_type("node"))) {
    const std::int32_t rank = engine.graph().rank(node);
    if (rank < 0 || !ranks.contains(rank)) others.push_back(node);
  }
  if (others.empty()) return {};
  if (auto removed = engine.remove(others); !removed) return std::unexpected(removed.error());
  return {};
}

}  // namespace copse::flux
