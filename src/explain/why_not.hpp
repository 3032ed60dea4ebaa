// SPDX-License-Identifier: Apache-2.0
//
// Explains why a request gets nothing now: the verdict is that of a match; findings give the
// reasons. Layers are checked first, then capacities, then pools (explain.hpp).
#pragma once

#include "copse/explain.hpp"
#include "copse/options.hpp"
#include "copse/request.hpp"
#include "hres/channels.hpp"
#include "hres/hres_table.hpp"
#include "start_search/start_search.hpp"
#include "state/grants.hpp"
#include "state/state.hpp"

namespace copse {

// The input of an explanation.
struct EngineView {
  const ResourceGraph& graph;
  const State& state;
  const EngineOptions& options;
  const Grants& grants;
  const HresTable* hres;     // nullptr: no hierarchical resources
  const Channels* channels;  // nullptr: no auxiliary subsystems
  const Layouts* layouts;    // of nodes, for the treepool traverser
};

// Whether it fits now. Cost: a walk.
[[nodiscard]] bool fits_now(StartSearch& search, LearnedRequest& compiled, std::int64_t duration_s);

// REQUIRES that `compiled` was compiled from the request against this machine. Overwrites the
// result of the search. Cost: a failed match, satisfiability, and one visit to each candidate.
[[nodiscard]] Explanation why_not(const EngineView& machine, StartSearch& search,
                                  const Request& request, LearnedRequest& compiled,
                                  std::int64_t duration_s);

}  // namespace copse
