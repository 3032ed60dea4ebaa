// SPDX-License-Identifier: Apache-2.0
//
// Pools and statuses named by a C program.
#pragma once

#include <vector>

#include "capi/call.hpp"
#include "copse/graph.hpp"
#include "copse/status.hpp"

namespace copse::capi {

// At least one pool. Errors: as named_pools(); COPSE_NOT_FOUND (none).
[[nodiscard]] Outcome<std::vector<PoolId>> pools_in(const ResourceGraph& graph, const char* where);
// Errors: COPSE_INVALID.
[[nodiscard]] Outcome<Status> status_in(copse_status status);

}  // namespace copse::capi
