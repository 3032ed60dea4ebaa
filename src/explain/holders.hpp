// SPDX-License-Identifier: Apache-2.0
//
// The jobs that have some of the pools that a request could use: the ten that end soonest, and the
// number of all. They are ordered by end, then by job. If several end with the tenth, it is
// unspecified which are shown.
//
// Cost: O(exclusive spans of the visited pools and of the pools below them); a bit per grant. Where
// pools of a divisible type are visited, also O(grants + their amounts · log(pools visited)).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/explain.hpp"
#include "copse/graph.hpp"
#include "explain/failure_census.hpp"
#include "state/grants.hpp"
#include "state/state.hpp"

namespace copse {

// Sets the holders of a finding about pools of `type`, over [start, end).
void find_holders(const ResourceGraph& graph, const State& state, const Grants& grants,
                  std::span<const Obstacle> obstacles, TypeId type, std::int64_t start,
                  std::int64_t end, Finding& finding);

// Sets the holders of a finding: the soonest end first, then by job; the rest are counted.
void set_holders(std::vector<Holder> holders, Finding& finding);

// A holder until the horizon has no end.
void mark_endless(std::span<Finding> findings, std::int64_t horizon);

}  // namespace copse
