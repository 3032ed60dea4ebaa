// SPDX-License-Identifier: Apache-2.0
//
// Seeds: the cases of one property test. At the end, it prints their seeds and the number of steps:
// each change of an engine counts, for every twin as well.
//
//   COPSE_SEEDS=N  N times as many cases
//   COPSE_SEED=K   only that one
//
// Under sanitizers a fifth of them run. A crashing case prints its seed.
#pragma once

#include <cstdint>

#include <gtest/gtest.h>

namespace copse::property {

class Seeds {
 public:
  Seeds(std::uint64_t first, std::uint64_t count);
  ~Seeds();
  Seeds(const Seeds&) = delete;
  Seeds& operator=(const Seeds&) = delete;

  // test(seed), until one fails.
  template <class Test>
  void each(Test test) {
    for (; done_ < count_; ++done_) {
      announce(first_ + done_);
      test(first_ + done_);
      if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << "COPSE_SEED=" << first_ + done_;
        return;
      }
    }
  }
  // Whether sums over all cases mean something: no single seed was requested, and none failed.
  [[nodiscard]] bool whole() const { return !only_one_ && done_ == count_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

  // For code that runs cases.
  static void add_steps(std::uint64_t steps) { steps_ += steps; }

 private:
  static void announce(std::uint64_t seed);

  static std::uint64_t steps_;  // of this process
  std::uint64_t first_, count_, done_ = 0;
  std::uint64_t steps_before_ = steps_;
  bool only_one_ = false;
};

}  // namespace copse::property
