// SPDX-License-Identifier: Apache-2.0
//
// PassBudget: how long a pass over the jobs of a service runs before clients are answered.
#pragma once

#include <functional>

#include "queue/queue_parts.hpp"

namespace copse::server {

// `start`: LiveJobs::Setup::start_budget; empty: no bound.
struct PassBudget {
  std::function<bool()> over{};
  queue::WorkBudget slice{};

  explicit PassBudget(const std::function<std::function<bool()>()>& start) {
    if (!start) return;
    over = start();
    slice.context = &over;
    slice.expired = [](void* of) { return (*static_cast<std::function<bool()>*>(of))(); };
  }
  PassBudget(const PassBudget&) = delete;
  PassBudget& operator=(const PassBudget&) = delete;
};

}  // namespace copse::server
