// SPDX-License-Identifier: Apache-2.0
//
// The meaning of an R on an existing machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/idset.hpp"
#include "copse/graph.hpp"
#include "formats/rv1/rv1_read.hpp"

namespace copse {

// The first of the ranks that no pool has. O(ranks up to it): it ends where the machine's do.
[[nodiscard]] std::optional<std::int64_t> unknown_rank(const ResourceGraph& graph,
                                                       const Idset& ranks);

// The pools that have one of these ranks and are below no other that has it: where a rank begins.
// Errors: not_found, "N not found in by_rank map." O(pools of the ranks × depth).
[[nodiscard]] Result<std::vector<PoolId>> tops_of_ranks(const ResourceGraph& graph,
                                                        const Idset& ranks);

// Those pools and everything below them.
[[nodiscard]] Result<std::vector<PoolId>> pools_of_ranks(const ResourceGraph& graph,
                                                         const Idset& ranks);

// The pools that an R allocates: the children of its entries, and each node if all its children are
// among them. Errors: not_found (a rank, a host of it, a child that the machine has not).
// With `missing`, ranks and children that the machine does not have are skipped, and added to it.
// O(pools of the R's ranks).
[[nodiscard]] Result<std::vector<PoolId>> pools_of_r(const ResourceGraph& graph, const RSet& r,
                                                     std::vector<std::string>* missing = nullptr);

// Whether another scheduler than TreePool has put a graph (JGF) into the key `scheduling`.
[[nodiscard]] bool has_graph(const RScheduling& scheduling);
// Whether a graph has exactly the nodes and cores of an R. In a sub-instance the graph of its R does
// not: Flux renumbers ranks and cores there, and passes the graph on unchanged.
[[nodiscard]] bool describes(const ResourceGraph& graph, const RSet& r);

}  // namespace copse
