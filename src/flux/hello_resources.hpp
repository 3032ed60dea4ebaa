// SPDX-License-Identifier: Apache-2.0
//
// HelloResources: the resources of a job that already runs when the scheduler starts. They are the
// pools of its R without the ranks that it has freed, and of the graph in R the leaves of types that
// R_lite cannot list.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "flux/messages.hpp"

namespace copse::flux {

// A time of Flux in whole seconds, limited to 10^15.
[[nodiscard]] std::int64_t whole_seconds(double time_s);

struct HelloResources {
  std::vector<PoolId> pools;
  std::vector<PoolAmount> amounts{};  // of divisible pools among them
  std::int64_t whole_nodes = 0;       // 0: it has more than whole nodes, or less
  std::int64_t end_s = 0;             // 0: none
};

// Errors: as read_r() and pools_of_r(). O(pools of the job).
[[nodiscard]] Result<HelloResources> hello_resources(const HelloJob& job,
                                                     const ResourceGraph& graph);

// What the job is charged by its jobspec; of several alternatives the first, because the one that was
// used is not recorded. Errors: as parse_jobspec() and Engine::charges_of().
[[nodiscard]] Result<GrantCharges> hello_charges(const Engine& engine, std::string_view jobspec);

// The pools that a job loses when it frees these ranks: all pools of the ranks and the pools above
// them. A rack is not exclusive to a job if another job may use one of its nodes. Errors: as
// tops_of_ranks().
[[nodiscard]] Result<std::vector<PoolId>> freed_pools(const ResourceGraph& graph,
                                                      const Idset& ranks);

}  // namespace copse::flux
