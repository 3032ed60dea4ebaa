// SPDX-License-Identifier: Apache-2.0
//
// VisitBudget: looks at pools are counted, not time, so that a search ends at the same answer every
// time. Once more are asked for than there are, the search has ended and nothing is known.
#pragma once

#include <cstdint>

namespace copse {

struct VisitBudget {
  std::uint64_t visits = 0, most = 0;
  bool ended = false;

  // Counts a look; false if there are no more.
  bool spend() {
    ended |= visits >= most;
    visits += ended ? 0u : 1u;
    return !ended;
  }
};

}  // namespace copse
