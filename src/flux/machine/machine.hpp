// SPDX-License-Identifier: Apache-2.0
//
// The machine of an instance: an engine made from its R, a file or hwloc topologies.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "copse/formats.hpp"
#include "rset/rset.hpp"

namespace copse::flux {

// Reads the inventory: canonical, with the layouts of TreePool's scheduling key if it has one.
// Errors: those of read_r().
[[nodiscard]] Result<RSet> read_inventory(std::string_view r);

// The machine of an instance, and how it came about.
struct InstanceMachine {
  std::shared_ptr<Engine> engine;
  std::string source;                // "R", "the graph in R", "FILE", "hwloc of each rank"
  std::vector<std::string> remarks;  // what is not used, one sentence each
  bool uses_graph = false;           // that in R
  // "machine: 4 nodes, 16 cores, 2 gpus (R)".
  [[nodiscard]] std::string summary() const;
};

// Below, `by_levels`: a machine with levels (has_levels) gets the policy few-racks instead of that of
// the options.

// With `use_graph`, the graph in the R's `scheduling` (graph_in_r.hpp). Else, and if that is not
// usable, a cluster of nodes with the children that the R lists, and the layouts of `inventory`. An R
// without ranks (all are excluded) is a cluster without nodes.
// Errors: those of the readers, and of Engine::create().
[[nodiscard]] Result<InstanceMachine> machine_of_r(std::string_view r, const RSet& inventory,
                                                   bool use_graph, EngineOptions options,
                                                   bool by_levels = false);
// The machine of a file in any supported format. Errors: those of read_machine() and
// Engine::create().
[[nodiscard]] Result<std::unique_ptr<Engine>> engine_of_file(std::string_view text,
                                                             const MachineText& how,
                                                             EngineOptions options,
                                                             bool by_levels = false);
// The machine from hwloc's XML of each rank, from rank 0: nodes with sockets, NUMA nodes, last-level
// caches, cores and GPUs. Errors: those of read_hwloc_nodes() and Engine::create().
[[nodiscard]] Result<std::unique_ptr<Engine>> engine_of_topologies(
    std::span<const std::string> texts, EngineOptions options, bool by_levels = false);
// Removes the nodes whose rank is not in the inventory, since Flux excludes them. Errors: not_found (a
// rank of the inventory, or a child of it, is not in the machine).
[[nodiscard]] Result<void> keep_ranks(Engine& engine, const RSet& inventory);

}  // namespace copse::flux
