// SPDX-License-Identifier: Apache-2.0
//
// SearchResult: the result of one match, and what the search learned on the way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "copse/match.hpp"
#include "hres/availability/channel_availability.hpp"
#include "match/shared/eligibility.hpp"

namespace copse {

// What a walk over one window says. Only `no` proves that there is nothing.
enum class WalkOutcome : std::uint8_t {
  yes,
  no,
  uncertain,        // nothing was found, but another choice of pools might fit the supply
  limit_reached,    // the loop-aware search reached its bound
  order_dependent,  // pools have several parents: another order of visits might find something
};

struct SearchResult {
  enum class Outcome : std::uint8_t { found, insufficient, infeasible };

  JobId job = 0;  // who asks: layers may be reserved for it
  Outcome outcome = Outcome::insufficient;
  Match match;                    // empty unless found
  ChargedPools charged;           // pools of the selection that draw along auxiliary subsystems
  std::uint64_t visits_left = 0;  // of the loop-aware search, for all windows together
  // Why the last walk was refused an amount of an auxiliary subsystem: in use, or on the empty
  // machine.
  ChannelAvailability::Refusal refused_now, refused_ever;

  // Starts over, and keeps the memory of the match.
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
