// SPDX-License-Identifier: Apache-2.0
//
// Pools and statuses named by a C program.
#pragma once

#include <string>
#include <vector>

#include "capi/call.hpp"
#include "copse/graph.hpp"
#include "copse/status.hpp"
#include "formats/named_pools.hpp"

namespace copse::capi {

// At least one pool. Errors: as named_pools(); COPSE_NOT_FOUND (none).
[[nodiscard]] inline Outcome<std::vector<PoolId>> pools_in(const ResourceGraph& graph,
                                                           const char* where) {
  const auto text = word_in(where, "the name of pools");
  if (!text) return std::unexpected(text.error());
  auto pools = named_pools(graph, std::string(*text), "where");
  if (!pools) return std::unexpected(Failure(pools.error()));
  if (pools->empty()) return refuse(COPSE_NOT_FOUND, "no pool has this name");
  return std::move(*pools);
}

// Errors: COPSE_INVALID.
[[nodiscard]] inline Outcome<Status> status_in(copse_status status) {
  if (status > COPSE_UNKNOWN) return refuse(COPSE_INVALID, "unknown status");
  return static_cast<Status>(status);
}

}  // namespace copse::capi
