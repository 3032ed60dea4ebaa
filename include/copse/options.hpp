// SPDX-License-Identifier: Apache-2.0
//
// EngineOptions: the settings of an engine, fixed when it is created.
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
  std::int64_t now = 0;                  // in Engine::options(): the current time
  std::int64_t horizon = 3'153'600'000;  // 100 years, as resource-query
  // When the machine may be used (RFC 20, `starttime` and `expiration` of its R): nothing is granted
  // before valid_from or beyond valid_until. A request without a duration ends with the latter.
  // 0: not bounded. The clock may be outside.
  std::int64_t valid_from = 0, valid_until = 0;
  std::size_t prepared_max = 1024;  // of the cache of prepared requests; at least one is kept
  // For tests: serve every request by the flexible walk, which visits the whole machine, and use no
  // bounds. The answers are the same.
  bool exhaustive = false;
  // Attached resources are ignored for future starts until the last event already planned when they
  // were attached, as in Fluxion's resource-query. False: they count at once.
  bool growth_waits = false;
  // Before any walk, refuse a request with a constraint if too few of the allowed nodes are free
  // now or, if it may wait, at the horizon. This also refuses requests that would fit earlier.
  // Fluxion does so, and distinguishes infeasible from insufficient by it.
  bool counts_nodes_first = true;
  LayerOrder layer_order = LayerOrder::count;  // of hierarchical resources of mode 1
  // Names of the auxiliary subsystems whose capacities are charged for pools chosen in the dominant
  // one (docs/reference/subsystems.md, *Auxiliary subsystems*). The dominant one and repeated names
  // are skipped.
  std::vector<std::string> auxiliary{};
  // loop_aware: the number of pools that the search at one time may visit to find a selection (and
  // twice as many to let counts grow and to write it). All times that a match tries may take 10
  // times as many together; one more search distinguishes insufficient from infeasible. A search
  // that reaches this limit adds a remark, and the match, if nothing else is found, is
  // insufficient, never infeasible.
  std::uint64_t search_pools_max = 1'000'000;
};

}  // namespace copse
