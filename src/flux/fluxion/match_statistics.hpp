// SPDX-License-Identifier: Apache-2.0
//
// How many matches there were and how long they took: the key "match" of what
// sched-fluxion-resource answers to stats-get.
#pragma once

#include <cstdint>

#include "text/json_writer.hpp"

namespace copse::flux {

class MatchStatistics {
 public:
  void count(std::int64_t job, double overhead_s);
  void clear();  // all but the total
  // {"njobs": …, "stats": {"min": …}}
  void write(JsonWriter& json) const;

 private:
  std::uint64_t total_ = 0, jobs_ = 0;                       // jobs_: since it was cleared
  std::int64_t max_job_ = 0, max_iters_ = 0;                 // of the longest; -1 once cleared
  double min_s_ = 0, max_s_ = 0, mean_s_ = 0, squares_ = 0;  // Welford's sums
};

// A number with a point or an exponent, as JSON has those that are no integers.
[[nodiscard]] std::string real_text(double value);

}  // namespace copse::flux
