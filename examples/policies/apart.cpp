// SPDX-License-Identifier: Apache-2.0
//
// A visiting policy: no node has two jobs of one user. In a queue the users of jobs are known. Then run
//   copse plan -L examples/machines/desk.graphml -P ./apart.so JOBS
#include <algorithm>

#include "copse/plugin.hpp"

namespace {

// Low ids first, as the policy `low`; a node with another job of the same user is refused.
copse::Score apart(copse::Visit& visit) {
  if (visit.event != copse::Visit::Event::pool) return visit.score;
  if (visit.wanted.type == "node" && !visit.user.empty()) {
    const auto jobs = visit.jobs(visit.pool);
    const bool met = std::ranges::any_of(
        jobs, [&](const copse::JobOnPool& other) { return other.user == visit.user; });
    if (met) return 0;
  }
  return visit.score;
}

}  // namespace

COPSE_PLUGIN({.name = "apart",
              .summary = "two jobs of a user are on different nodes",
              .prefer_high = false,
              .visit = apart})
