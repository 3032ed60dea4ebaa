// SPDX-License-Identifier: Apache-2.0
//
// VisitBudget: a limit on visits of pools rather than on time, so that a search always ends with
// the same answer. Once it is exceeded, the search ends without a result.
#pragma once

#include <cstdint>

namespace copse {

struct VisitBudget {
  std::uint64_t visits = 0, most = 0;
  bool ended = false;

  // Counts a visit; false if none is left.
  bool spend() {
    ended |= visits >= most;
    visits += ended ? 0u : 1u;
    return !ended;
  }
};

}  // namespace copse
