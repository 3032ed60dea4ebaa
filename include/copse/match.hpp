// SPDX-License-Identifier: Apache-2.0
//
// What a match is asked and what it gives.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "copse/error.hpp"
#include "copse/hres.hpp"
#include "copse/ids.hpp"
#include "copse/selection.hpp"

namespace copse {

enum class Operation : std::uint8_t {
  allocate,                      // now or not at all
  allocate_with_satisfiability,  // the same; on failure says whether it ever could
  allocate_orelse_reserve,       // now, or at the earliest time
  satisfiability,                // would it fit the empty machine? nothing is granted
  without_allocating,            // what allocate would give; nothing is granted
  without_allocating_future,     // what allocate_orelse_reserve would give
};

// What a match gave. start > now: a reservation.
struct Match {
  std::int64_t start = 0, end = 0;
  std::int64_t nslots = 0;  // slots of a treepool match; 0: not counted
  Selection selection;
  GrantCharges charges;                // what its hierarchical resources are charged
  std::vector<std::string> remarks{};  // further sentences, e.g. on conflicts in the request
  std::uint64_t visits = 0;            // pools visited
};

// A match that gave nothing.
struct NoMatch : Error {
  NoMatch() = default;
  NoMatch(Error error) : Error(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  std::vector<std::string> remarks{};  // further sentences, e.g. on conflicts in the request
  // The request takes nothing, whatever there is: nothing in it is exclusive. The code is
  // insufficient, as of Fluxion's resource-query.
  bool takes_nothing = false;
  std::uint64_t visits = 0;  // pools visited
};

// The pointer stays good until the next call of the engine.
using MatchResult = std::expected<const Match*, NoMatch>;

struct Grant {
  JobId job = 0;
  std::int64_t start = 0, end = 0;
  std::int64_t nslots = 0;  // as matched, whatever was given back since
  Selection selection;
  GrantCharges charges;
};

}  // namespace copse
