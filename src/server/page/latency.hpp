// SPDX-License-Identifier: Apache-2.0
//
// Latency: how long something took, as a histogram with fixed steps: what Prometheus takes, and what
// a person wants to see of it. O(1) each; no memory but its own.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace copse::server {

class Latency {
 public:
  // In microseconds; the last step is everything above.
  static constexpr std::array<std::int64_t, 12> kSteps_us{
      50, 100, 250, 500, 1'000, 2'500, 5'000, 10'000, 25'000, 100'000, 500'000, 2'500'000};

  void add(std::chrono::steady_clock::duration took) {
    const std::int64_t us = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
    std::size_t step = 0;
    while (step < kSteps_us.size() && us > kSteps_us.at(step)) ++step;
    ++counts_.at(step);
    ++count_;
    sum_us_ += us;
    largest_us_ = us > largest_us_ ? us : largest_us_;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::int64_t largest_us() const { return largest_us_; }
  // The step that so many of 100 are not above; of those above all, the largest there was.
  [[nodiscard]] std::int64_t percentile_us(unsigned of_100) const {
    std::uint64_t left = (count_ * of_100 + 99) / 100;
    for (std::size_t step = 0; step < kSteps_us.size(); ++step) {
      if (counts_.at(step) >= left) return kSteps_us.at(step);
      left -= counts_.at(step);
    }
    return largest_us_;
  }
  // In the form of Prometheus.
  void append_metric(std::string& out, std::string_view name, std::string_view about) const;

 private:
  std::array<std::uint64_t, kSteps_us.size() + 1> counts_{};
  std::uint64_t count_ = 0;
  std::int64_t sum_us_ = 0, largest_us_ = 0;
};

}  // namespace copse::server
