// SPDX-License-Identifier: Apache-2.0
//
// EngineOptions: what an engine is told once, when it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "copse/hres.hpp"
#include "copse/policy.hpp"
#include "copse/traverser.hpp"

namespace copse {

struct EngineOptions {
  Policy policy;
  Traverser traverser = Traverser::simple;
  std::string prune_filters = "ALL:core,ALL:node";
  std::int64_t now = 0;                  // options() of an engine: its clock
  std::int64_t horizon = 3'153'600'000;  // 100 years, as resource-query
  std::size_t prepared_max = 1024;       // prepared requests that are kept
  // Walk the whole machine for every request, and stop early nowhere: the answers are the same, the
  // time is not. For tests of the walks that do stop early.
  bool exhaustive = false;
  // Attached resources are ignored for future starts until the last event already planned when
  // they were attached, as in Fluxion's resource-query; else they count at once.
  bool growth_waits = false;
  // Before any walk, refuse a request with a constraint if too few of the nodes that it allows are
  // free now, or, if it may wait, at the end of time: also one that fits earlier. Fluxion does so,
  // and tells never from not now by it.
  bool counts_nodes_first = true;
  LayerOrder layer_order = LayerOrder::count;  // of hierarchical resources in mode 1
  // Names of subsystems from which what is chosen in the dominant one draws:
  // docs/reference/subsystems.md, *Auxiliary subsystems*. The dominant one and repeated names are
  // skipped.
  std::vector<std::string> auxiliary{};
  // loop_aware: looks at pools that a search at one time may take to find a selection (and twice as
  // many to write it down and to let counts grow); the times that a match tries may take 10 times
  // as many together, and one search more tells insufficient from infeasible. A search that ends
  // without an answer says so among the remarks, and the match, if it finds nothing else, is
  // insufficient: never infeasible.
  std::uint64_t search_pools_max = 1'000'000;
};

}  // namespace copse
