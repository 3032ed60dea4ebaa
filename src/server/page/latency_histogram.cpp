// SPDX-License-Identifier: Apache-2.0
#include "server/page/latency_histogram.hpp"

#include <fmt/format.h>

namespace copse::server {

void LatencyHistogram::append_metric(std::string& out, std::string_view name,
                                     std::string_view help) const {
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

}  // namespace copse::server
