// SPDX-License-Identifier: Apache-2.0
//
// A visiting policy: nodes first whose power panel has most left. The subsystem of the power has to be
// charged (--auxiliary), so that the policy can ask what each pool above a node has left. Then run
//   copse match -L MACHINE --auxiliary power -P ./most_power.so JOBSPEC
#include <algorithm>

#include "copse/plugin.hpp"

namespace {

// The least that the pools above have left; without such pools nothing is known.
copse::Score most_power(copse::Visit& visit) {
  if (visit.event != copse::Visit::Event::pool || visit.wanted.type != "node") return visit.score;
  copse::Score left = 0;
  bool known = false;
  for (const copse::PoolAbove& above : visit.above()) {
    if (above.subsystem != "power") continue;
    left = known ? std::min(left, above.free) : above.free;
    known = true;
  }
  return 1 + std::max<copse::Score>(left, 0);
}

}  // namespace

COPSE_PLUGIN({.name = "most_power",
              .summary = "nodes first whose power panel has most left",
              .visit = most_power})
