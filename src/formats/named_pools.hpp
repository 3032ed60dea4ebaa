// SPDX-License-Identifier: Apache-2.0
//
// Pools by the names that people give them.
#pragma once

#include <string>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"

namespace copse {

// The pools of a path ("/cluster0/rack0/node3"), the tops of ranks ("0-3"), or nodes by their hosts
// ("node[0-3]"). `what` is how messages call the text. Errors: invalid; not_found (one of them).
// O(path), of hosts O(pools).
[[nodiscard]] Result<std::vector<PoolId>> named_pools(const ResourceGraph& graph,
                                                      const std::string& where,
                                                      const std::string& what);

}  // namespace copse
