// SPDX-License-Identifier: Apache-2.0
//
// One random stream of requests for nodes and hierarchical resources through an engine, next to the
// oracle. Differences are failures of the test that runs it.
#pragma once

#include <cstdint>

#include "copse/traverser.hpp"

namespace copse::property {

// How often each outcome came.
struct HresCounts {
  int granted = 0, reserved = 0, insufficient = 0, infeasible = 0, kept = 0, cut = 0, over = 0;
  int restructured = 0;
};

void run_hres_case(std::uint64_t seed, const char* policy, Traverser traverser, HresCounts& counts);

}  // namespace copse::property
