// SPDX-License-Identifier: Apache-2.0
//
// Turn: how far a pass over the jobs of a service goes before its clients are answered.
#pragma once

#include <functional>

#include "queue/queue_parts.hpp"

namespace copse::server {

// `turn`: as LiveJobs::Setup::turn; none: it has no end.
struct Turn {
  std::function<bool()> over{};
  queue::WorkBudget slice{};

  explicit Turn(const std::function<std::function<bool()>()>& turn) {
    if (!turn) return;
    over = turn();
    slice.context = &over;
    slice.expired = [](void* of) { return (*static_cast<std::function<bool()>*>(of))(); };
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};

}  // namespace copse::server
