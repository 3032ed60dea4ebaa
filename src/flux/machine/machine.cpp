// SPDX-License-Identifier: Apache-2.0
#include "flux/machine/machine.hpp"

#include <fmt/format.h>

#include <utility>

#include "flux/machine/graph_in_r.hpp"
#include "formats/hwloc/hwloc_read.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "match/few_racks/level_tree.hpp"
#include "text/counted.hpp"

namespace copse::flux {

Result<RSet> read_inventory(std::string_view r) {
  auto all = read_r(r, "R", {.rules = RRules::merging, .layouts = TreepoolLimits{}});
  if (!all) return all;
  return canonical(std::move(*all));
}

namespace {

Result<std::unique_ptr<Engine>> create_engine(ResourceGraph graph, EngineOptions options,
                                              bool by_levels, const Layouts& layouts = {}) {
  if (by_levels && has_levels(graph)) {
    auto few_racks = find_policy("few-racks");
    if (!few_racks) return std::unexpected(few_racks.error());
    options.policy = std::move(*few_racks);
  }
  return Engine::create(std::move(graph), std::move(options), layouts);
}

Result<InstanceMachine> machine_of_graph(GraphInR found, EngineOptions options, bool by_levels) {
  auto engine = create_engine(std::move(found.graph), std::move(options), by_levels);
  if (!engine) return std::unexpected(engine.error());
  if (!found.outside.empty()) {
    if (auto ok = (*engine)->remove(found.outside); !ok) return std::unexpected(ok.error());
  }
  return InstanceMachine{.engine = std::move(*engine),
                         .source = "the graph in R",
                         .remarks = std::move(found.remarks),
                         .uses_graph = true};
}

}  // namespace

std::string InstanceMachine::summary() const {
  const ResourceGraph& graph = engine->graph();
  const auto of = [&](std::string_view type) {
    return counted(graph.of_type(graph.find_type(type)).size(), type);
  };
  return fmt::format("machine: {}, {}, {} ({})", of("node"), of("core"), of("gpu"), source);
}

Result<InstanceMachine> machine_of_r(std::string_view r, const RSet& inventory, bool use_graph,
                                     EngineOptions options, bool by_levels) {
  std::vector<std::string> remarks;
  const bool has_other = !inventory.scheduling.text.empty();
  if (use_graph && has_other && !inventory.entries.empty()) {
    auto found = graph_in_r(r, inventory);
    if (found) return machine_of_graph(std::move(*found), std::move(options), by_levels);
    if (found.error().code != ErrorCode::unsupported) return std::unexpected(found.error());
    remarks.push_back("the key scheduling in R is not used: " + found.error().text);
  }
  auto graph = graph_of_r(inventory);
  if (!graph) return std::unexpected(graph.error());
  auto engine = create_engine(std::move(*graph), std::move(options), by_levels, inventory.layouts);
  if (!engine) return std::unexpected(engine.error());
  return InstanceMachine{
      .engine = std::move(*engine), .source = "R", .remarks = std::move(remarks)};
}

Result<std::unique_ptr<Engine>> engine_of_file(std::string_view text, const MachineText& how,
                                               EngineOptions options, bool by_levels) {
  auto graph = read_machine(text, how);
  if (!graph) return std::unexpected(graph.error());
  return create_engine(std::move(*graph), std::move(options), by_levels);
}

Result<std::unique_ptr<Engine>> engine_of_topologies(std::span<const std::string> texts,
                                                     EngineOptions options, bool by_levels) {
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
  auto graph = read_hwloc_nodes(nodes, {.allowed = "node,socket,numanode,L3cache,core,gpu"});
  if (!graph) return std::unexpected(graph.error());
  return create_engine(std::move(*graph), std::move(options), by_levels);
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
