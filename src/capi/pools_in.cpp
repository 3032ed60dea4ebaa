// SPDX-License-Identifier: Apache-2.0
#include "capi/pools_in.hpp"

#include <string>

#include "formats/named_pools.hpp"

namespace copse::capi {

Outcome<std::vector<PoolId>> pools_in(const ResourceGraph& graph, const char* where) {
  const auto text = word_in(where, "the name of pools");
  if (!text) return std::unexpected(text.error());
  auto pools = named_pools(graph, std::string(*text), "where");
  if (!pools) return std::unexpected(Failure(pools.error()));
  if (pools->empty()) return refuse(COPSE_NOT_FOUND, "no pool has this name");
  return std::move(*pools);
}

Outcome<Status> status_in(copse_status status) {
  if (status > COPSE_UNKNOWN) return refuse(COPSE_INVALID, "unknown status");
  return static_cast<Status>(status);
}

}  // namespace copse::capi
