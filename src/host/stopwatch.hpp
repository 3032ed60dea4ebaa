// SPDX-License-Identifier: Apache-2.0
//
// Stopwatch: seconds of a steady clock since it was made.
#pragma once

#include <chrono>

namespace copse {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace copse
