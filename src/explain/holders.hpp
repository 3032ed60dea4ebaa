// SPDX-License-Identifier: Apache-2.0
//
// The jobs that have some of the pools a request could use: the ten that end soonest, and how many
// there are. They are shown by end, then by job; which of those that end with the tenth are shown
// is not said.
//
// Cost: O(exclusive spans of the pools looked at, and of all pools below those that are looked at
// there); a bit for each grant.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "copse/explain.hpp"
#include "copse/graph.hpp"
#include "explain/failure_census.hpp"
#include "state/state.hpp"

namespace copse {

// The job that has a grant, by the grant's number.
using JobOfGrant = std::function<std::uint64_t(std::uint32_t)>;

// Sets the holders of a finding about pools of `type`, over [start, end).
void find_holders(const ResourceGraph& graph, const State& state, const JobOfGrant& job_of,
                  std::span<const Obstacle> obstacles, TypeId type, std::int64_t start,
                  std::int64_t end, Finding& finding);

// Sets the holders of a finding: the soonest end first, then by job; the rest are counted.
void set_holders(std::vector<Holder> holders, Finding& finding);

// Who has something until the clock ends has it without end.
void mark_endless(std::span<Finding> findings, std::int64_t horizon);

}  // namespace copse
