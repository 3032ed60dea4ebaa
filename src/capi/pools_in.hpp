// SPDX-License-Identifier: Apache-2.0
//
// Pools and states as a program in C names them.
#pragma once

#include <vector>

#include "capi/call.hpp"
#include "copse/graph.hpp"
#include "copse/status.hpp"

namespace copse::capi {

// At least one. Errors: as named_pools(); COPSE_NOT_FOUND: none.
[[nodiscard]] Outcome<std::vector<PoolId>> pools_in(const ResourceGraph& graph, const char* where);
// Errors: COPSE_INVALID.
[[nodiscard]] Outcome<Status> status_in(copse_status status);

}  // namespace copse::capi
