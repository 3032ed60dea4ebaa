// SPDX-License-Identifier: Apache-2.0
//
// Findings for a request to the treepool traverser, which counts nodes, domains, cores and GPUs: what
// no node has enough of, else what all nodes together have too little of. Amounts in use are those
// of now.
#pragma once

#include <vector>

#include "copse/explain.hpp"
#include "copse/layout.hpp"
#include "copse/request.hpp"
#include "explain/holders.hpp"
#include "match/treepool/treepool_request.hpp"
#include "state/state.hpp"

namespace copse {

struct TreepoolView {
  const ResourceGraph& graph;
  const State& state;
  const Layouts& layouts;
  const Request& request;
  const TreepoolRequest& asked;  // from this request
  const Grants& grants;
  std::int64_t start = 0, end = 0;
};

// REQUIRES that the verdict is insufficient or infeasible. At least one finding.
// O(nodes · resources of the request + domains).
[[nodiscard]] std::vector<Finding> treepool_findings(const TreepoolView& view, Verdict verdict);

}  // namespace copse
