// SPDX-License-Identifier: Apache-2.0
//
// A visiting policy: `high` of Fluxion's resource-query, as its documentation has it. Pools with higher
// ids are taken first, at each level of the request. Then run
//   copse match -L examples/machines/desk.graphml -P ./highest.so examples/jobspecs/desk-whole-node.yaml
#include "copse/plugin.hpp"

namespace {

copse::Score highest(copse::Visit& visit) {
  // What was found below is tested against the request, and the best of it is chosen.
  for (const copse::WantedPools& wanted : visit.below()) {
    if (wanted.takes == 0) return 0;  // too little: the pool is refused
    visit.choose_best(wanted.type, wanted.takes);
  }
  if (visit.event != copse::Visit::Event::pool) return visit.score;
  return visit.graph.id(visit.pool) + 2;
}

}  // namespace

COPSE_PLUGIN({.name = "highest", .summary = "highest ids first", .visit = highest})
