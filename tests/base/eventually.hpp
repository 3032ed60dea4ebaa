// SPDX-License-Identifier: Apache-2.0
//
// How a test waits for an event: a file, a line of a log, a state. It polls every 5 ms, and gives up
// after two minutes: only a test that fails takes that long, also on a busy machine.
#pragma once

#include <chrono>
#include <thread>

namespace copse {

inline constexpr std::chrono::seconds kWaitMost{120};

// Whether the condition was true before the time limit.
template <class Condition>
[[nodiscard]] bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kWaitMost;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace copse
