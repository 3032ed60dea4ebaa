// SPDX-License-Identifier: Apache-2.0
#include "fluxion/match_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace copse::fluxion {

std::string real_text(double value) {
  std::string out = fmt::format("{}", value);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

void MatchStatistics::count(std::int64_t job, double overhead_s) {
  ++total_;
  ++jobs_;
  min_s_ = jobs_ == 1 ? overhead_s : std::min(min_s_, overhead_s);
  if (jobs_ == 1 || overhead_s > max_s_) {
    max_s_ = overhead_s;
    max_job_ = job;
    max_iters_ = 1;
  }
  const double away = overhead_s - mean_s_;
  mean_s_ += away / static_cast<double>(jobs_);
  squares_ += away * (overhead_s - mean_s_);
}

void MatchStatistics::clear() {
  const std::uint64_t total = total_;
  *this = {};
  total_ = total;
  max_job_ = max_iters_ = -1;
}

void MatchStatistics::write(JsonWriter& json) const {
  json.object([&] {
    json.member("njobs", total_);
    json.member("njobs-reset", jobs_);
    json.member("max-match-jobid", max_job_);
    json.member("max-match-iters", max_iters_);
    json.object("stats", [&] {
      json.member_json("min", real_text(min_s_));
      json.member_json("max", real_text(max_s_));
      json.member_json("avg", real_text(mean_s_));
      const double variance = jobs_ == 0 ? 0 : squares_ / static_cast<double>(jobs_);
      json.member_json("variance", real_text(variance));
    });
  });
}

}  // namespace copse::fluxion
