// SPDX-License-Identifier: Apache-2.0
//
// The machine of an instance: an engine over what its R, or a file, says.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "copse/engine.hpp"
#include "copse/formats.hpp"
#include "rset/rset.hpp"

namespace copse::flux {

// The inventory as it is read: canonical, with the layouts of TreePool's scheduling if it has one.
// Errors: those of read_r().
[[nodiscard]] Result<RSet> read_inventory(std::string_view r);

// The graph that stands in an R's scheduling (JGF, Fluxion's), if there is one that has the ranks
// and ids of R, and it is wanted; else cluster, nodes and what R says of them. `layouts` are those of `inventory`.
// Errors: those of the readers, and of Engine::create().
[[nodiscard]] Result<std::unique_ptr<Engine>> engine_of_r(std::string_view r, const RSet& inventory,
                                                          bool graph_in_r, EngineOptions options);
// The machine of a file, in any format that is read. Errors: those of read_machine() and
// Engine::create().
[[nodiscard]] Result<std::unique_ptr<Engine>> engine_of_file(std::string_view text,
                                                             const MachineText& how,
                                                             EngineOptions options);
// The machine of hwloc's XML of each rank, from rank 0: nodes with sockets, NUMA nodes, last-level
// caches, cores and GPUs. Errors: those of read_hwloc_nodes() and Engine::create().
[[nodiscard]] Result<std::unique_ptr<Engine>> engine_of_topologies(
    std::span<const std::string> texts, EngineOptions options);
// Leaves out the nodes whose rank is not in the inventory, as Flux excludes them. Errors: not_found:
// a rank of the inventory, or a child of one, is not in the machine.
[[nodiscard]] Result<void> keep_ranks(Engine& engine, const RSet& inventory);

}  // namespace copse::flux
