// SPDX-License-Identifier: Apache-2.0
//
// SearchResult: the result of one match, and facts that the search has learned.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "copse/match.hpp"
#include "hres/availability/channel_availability.hpp"
#include "match/shared/eligibility.hpp"

namespace copse {

// The outcome of a walk over one window. Only `no` proves that there is no selection.
enum class WalkOutcome : std::uint8_t {
  yes,
  no,
  uncertain,        // nothing was found, but layers or channels might allow another choice of pools
  limit_reached,    // the loop-aware search reached its limit of visits
  order_dependent,  // pools have several parents: another order of visits might find something
};

struct SearchResult {
  enum class Outcome : std::uint8_t { found, insufficient, infeasible };

  JobId job = 0;  // the job of the request: layers may be reserved for it
  Outcome outcome = Outcome::insufficient;
  Match match;                    // empty unless found
  ChargedPools charged;           // pools of the selection with charges to auxiliary subsystems
  std::uint64_t visits_left = 0;  // of the loop-aware search, for all windows together
  // Why the last walk was refused by an auxiliary subsystem: with current use, or on the empty
  // machine.
  ChannelAvailability::Refusal refused_now, refused_ever;

  // Resets the result; reuses the memory of the match.
  void begin(JobId asking, std::uint64_t visits) {
    job = asking;
    outcome = Outcome::insufficient;
    match.selection.clear();
    match.charges.clear();
    charged.clear();
    match.nslots = 0;
    match.remarks.clear();
    match.visits = 0;
    visits_left = visits;
    if (refused_now.cause != ChannelAvailability::Cause::none) refused_now = {};
    if (refused_ever.cause != ChannelAvailability::Cause::none) refused_ever = {};
  }
  void remark_once(std::string remark) {
    auto& all = match.remarks;
    if (std::find(all.begin(), all.end(), remark) == all.end()) all.push_back(std::move(remark));
  }
};

}  // namespace copse
