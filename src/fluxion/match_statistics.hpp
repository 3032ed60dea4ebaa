// SPDX-License-Identifier: Apache-2.0
//
// MatchStatistics: the number of matches, and their durations. resource-query prints it for `stat`;
// the Flux module returns it under the key "match" of stats-get.
#pragma once

#include <cstdint>

#include "text/json_writer.hpp"

namespace copse::fluxion {

class MatchStatistics {
 public:
  void count(std::int64_t job, double overhead_s);
  void clear();  // keeps the total
  [[nodiscard]] std::uint64_t total() const { return total_; }
  // Seconds, of the matches since clear(); 0 if there was none.
  [[nodiscard]] double min_s() const { return min_s_; }
  [[nodiscard]] double max_s() const { return max_s_; }
  [[nodiscard]] double mean_s() const { return mean_s_; }
  // {"njobs": …, "stats": {"min": …}}
  void write(JsonWriter& json) const;

 private:
  std::uint64_t total_ = 0, jobs_ = 0;        // jobs_: since clear()
  std::int64_t max_job_ = 0, max_iters_ = 0;  // of the longest match; -1 after clear()
  double min_s_ = 0, max_s_ = 0, mean_s_ = 0, squares_ = 0;  // Welford's sums
};

// A number with a point or an exponent, as JSON writes a number that is not an integer.
[[nodiscard]] std::string real_text(double value);

}  // namespace copse::fluxion
