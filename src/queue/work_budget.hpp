// SPDX-License-Identifier: Apache-2.0
//
// WorkBudget: how much work a call may do before it returns to its host.
#pragma once

#include <cstdint>

namespace copse::queue {

struct WorkBudget {
  std::uint64_t jobs = UINT64_MAX;   // jobs still to be examined
  bool (*expired)(void*) = nullptr;  // called after each job: is the time used up?
  void* context = nullptr;           // the argument of `expired`

  // Spends one job. Returns true if the budget is exhausted.
  [[nodiscard]] bool spend() {
    if (jobs > 0) --jobs;
    if (jobs == 0) return true;
    return expired != nullptr && expired(context);
  }
};

}  // namespace copse::queue
