// SPDX-License-Identifier: Apache-2.0
//
// Derives findings from a census of a request: which part is short, and of what.
//
// A level is *short* if no parent has as many suitable units of it as its count requires. If a
// level is short only because a level below it is short, the lower one is reported. If pools of the
// level itself are closed to the job (allocated, down, excluded), the level is reported first.
//
// Cost: that of the census, and for each finding with jobs O(spans visited), see holders.hpp.
// Findings are bounded by Explanation::kFindingsMax.
#pragma once

#include <vector>

#include "copse/explain.hpp"
#include "copse/request.hpp"
#include "explain/holders.hpp"
#include "match/compile/compiled.hpp"

namespace copse {

// The input of an analysis.
struct ExplainInput {
  const ResourceGraph& graph;
  const State& state;
  const Request& request;           // the source of `compiled`
  const CompiledRequest& compiled;  // against this graph
  const Policy& policy;
  const Grants& grants;
  bool reservations = true;  // whether some grant of the state starts after now
  std::int64_t start = 0, end = 0;
};

// Findings for a request that does not match over [start, end). `verdict`: that of the match,
// insufficient or infeasible. Returns at least one finding.
[[nodiscard]] std::vector<Finding> find_causes(const ExplainInput& input, Verdict verdict);

// For a request that matches but takes nothing.
[[nodiscard]] Finding nothing_exclusive();
// "rack[1] > slot[2] > node[1]" and the resource of a level. REQUIRES that the request was compiled
// from these resources, and not to variants.
struct LevelSource {
  std::string path;
  const Resource* resource;
};
[[nodiscard]] LevelSource level_source(const std::vector<Resource>& resources,
                                       const CompiledRequest& request, std::uint32_t level);

}  // namespace copse
