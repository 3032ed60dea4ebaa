// SPDX-License-Identifier: Apache-2.0
#include "server/page/latency.hpp"

#include <fmt/format.h>

namespace copse::server {

void Latency::append_metric(std::string& out, std::string_view name, std::string_view about) const {
  constexpr double kSecond = 1e6;
  out += fmt::format("# HELP {} {}\n# TYPE {} histogram\n", name, about, name);
  std::uint64_t below = 0;
  for (std::size_t step = 0; step < kSteps_us.size(); ++step) {
    below += counts_.at(step);
    out += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name,
                       static_cast<double>(kSteps_us.at(step)) / kSecond, below);
  }
  out += fmt::format("{}_bucket{{le=\"+Inf\"}} {}\n{}_sum {}\n{}_count {}\n", name, count_, name,
                     static_cast<double>(sum_us_) / kSecond, name, count_);
}

}  // namespace copse::server
