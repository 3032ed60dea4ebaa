// SPDX-License-Identifier: Apache-2.0
//
// What a job has that runs already: the pools of its R, without the ranks that it gave back; and
// what the graph in R has beside ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/engine.hpp"
#include "flux/messages.hpp"

namespace copse::flux {

// A time as Flux has it, in whole seconds; no later than any horizon.
[[nodiscard]] std::int64_t whole_seconds(double time_s);

struct Held {
  std::vector<PoolId> pools;
  std::int64_t whole_nodes = 0;  // 0: it does not have nodes alone
  std::int64_t end_s = 0;        // 0: none
};

// Errors: as read_r() and pools_of_r(). O(what the job has).
[[nodiscard]] Result<Held> held_by(const HelloJob& job, const ResourceGraph& graph);

// What a job has no more that gives back these ranks: all of their nodes, and what is above them.
// Nobody has a rack for himself of which others may have a node. Errors: as tops_of_ranks().
[[nodiscard]] Result<std::vector<PoolId>> given_back(const ResourceGraph& graph,
                                                     const Idset& ranks);

}  // namespace copse::flux
