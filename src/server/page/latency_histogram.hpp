// SPDX-License-Identifier: Apache-2.0
//
// LatencyHistogram: durations in fixed buckets, for Prometheus and for the page. O(1) each; fixed
// memory.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace copse::server {

class LatencyHistogram {
 public:
  // Upper bounds in microseconds; further durations are in a last bucket.
  static constexpr std::array<std::int64_t, 12> kBuckets_us{
      50, 100, 250, 500, 1'000, 2'500, 5'000, 10'000, 25'000, 100'000, 500'000, 2'500'000};

  void add(std::chrono::steady_clock::duration took) {
    const std::int64_t us = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
    std::size_t step = 0;
    while (step < kBuckets_us.size() && us > kBuckets_us.at(step)) ++step;
    ++counts_.at(step);
    ++count_;
    sum_us_ += us;
    largest_us_ = us > largest_us_ ? us : largest_us_;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::int64_t largest_us() const { return largest_us_; }
  // The smallest bucket bound that `of_100` percent do not exceed; above all bounds, the largest
  // duration.
  [[nodiscard]] std::int64_t percentile_us(unsigned of_100) const {
    std::uint64_t left = (count_ * of_100 + 99) / 100;
    for (std::size_t step = 0; step < kBuckets_us.size(); ++step) {
      if (counts_.at(step) >= left) return kBuckets_us.at(step);
      left -= counts_.at(step);
    }
    return largest_us_;
  }
  // Appends it in Prometheus format.
  void append_metric(std::string& out, std::string_view name, std::string_view help) const {
    constexpr double kSecond = 1e6;
    out += fmt::format("# HELP {} {}\n# TYPE {} histogram\n", name, help, name);
    std::uint64_t below = 0;
    for (std::size_t step = 0; step < kBuckets_us.size(); ++step) {
      below += counts_.at(step);
      out += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name,
                         static_cast<double>(kBuckets_us.at(step)) / kSecond, below);
    }
    out += fmt::format("{}_bucket{{le=\"+Inf\"}} {}\n{}_sum {}\n{}_count {}\n", name, count_, name,
                       static_cast<double>(sum_us_) / kSecond, name, count_);
  }

 private:
  std::array<std::uint64_t, kBuckets_us.size() + 1> counts_{};
  std::uint64_t count_ = 0;
  std::int64_t sum_us_ = 0, largest_us_ = 0;
};

}  // namespace copse::server
