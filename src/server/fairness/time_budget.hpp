// SPDX-License-Identifier: Apache-2.0
//
// TimeBudget: a work budget that ends after some time, so that other clients are served in between.
#pragma once

#include <chrono>

#include "queue/work_budget.hpp"

namespace copse::server {

class TimeBudget {
 public:
  explicit TimeBudget(std::chrono::steady_clock::duration time)
      : end_(std::chrono::steady_clock::now() + time) {}
  TimeBudget(const TimeBudget&) = delete;
  TimeBudget& operator=(const TimeBudget&) = delete;

  // Valid as long as this.
  [[nodiscard]] queue::WorkBudget budget() {
    return {.expired = [](void* of) { return static_cast<TimeBudget*>(of)->expired(); },
            .context = this};
  }
  [[nodiscard]] bool expired() const { return std::chrono::steady_clock::now() >= end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace copse::server
