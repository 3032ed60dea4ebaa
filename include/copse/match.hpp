// SPDX-License-Identifier: Apache-2.0
//
// The operations of a match, and its result.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "copse/error.hpp"
#include "copse/grant.hpp"
#include "copse/selection.hpp"

namespace copse {

enum class Operation : std::uint8_t {
  allocate,                      // now, or fail
  allocate_with_satisfiability,  // the same; a failure distinguishes insufficient from infeasible
  allocate_orelse_reserve,       // now, or reserve at the earliest time
  satisfiability,                // whether the empty machine fits the request; grants nothing
  without_allocating,            // the result of allocate; grants nothing
  without_allocating_future,     // the result of allocate_orelse_reserve; grants nothing
};

// The result of a match. start > now: a reservation.
struct Match {
  std::int64_t start = 0, end = 0;
  std::int64_t nslots = 0;  // slots; 1 if the request has none; 0: not known
  Selection selection;
  GrantCharges charges;                // to layers and capacities
  std::vector<std::string> remarks{};  // further sentences, e.g. on conflicts in the request
  std::uint64_t visits = 0;            // pools visited
};

// A failed match.
struct NoMatch : Error {
  NoMatch() = default;
  NoMatch(Error error) : Error(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  std::vector<std::string> remarks{};  // further sentences, e.g. on conflicts in the request
  // The request takes nothing from any machine: no part of it is exclusive. The code is
  // insufficient, as in Fluxion's resource-query.
  bool takes_nothing = false;
  std::uint64_t visits = 0;  // pools visited
};

// The pointer is valid until the next call of the engine.
using MatchResult = std::expected<const Match*, NoMatch>;

}  // namespace copse
