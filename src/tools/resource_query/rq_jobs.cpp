// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/rq_jobs.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace copse::query {

JobId parse_job(std::string_view word) {
  JobId id = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  return error == std::errc() && end == word.data() + word.size() ? id : 0;
}

void Jobs::count_on(JobId job) {
  while (engine_.grant(job) != nullptr) ++job;
  next_ = job;
}

void Jobs::add(JobId id, const Match& match, std::string_view path, double elapsed_s) {
  const bool reserved = match.start > engine_.options().now;
  jobs_.insert_or_assign(jobs_.end(), id,
                         Job{reserved ? Job::State::reserved : Job::State::allocated, match.start,
                             std::string(path), elapsed_s});
  shortest_s_ = matched_ == 0 ? elapsed_s : std::min(shortest_s_, elapsed_s);
  longest_s_ = std::max(longest_s_, elapsed_s);
  total_s_ += elapsed_s;
  ++matched_;
  count_on(id + 1);
}

void Jobs::cancel_lost() {
  for (auto& [id, job] : jobs_) {
    if (engine_.grant(id) == nullptr) job.state = Job::State::canceled;
  }
}

std::string Jobs::statistics() const {
  const double average_s = matched_ == 0 ? 0 : total_s_ / static_cast<double>(matched_);
  return fmt::format(
      "INFO: Num. of Jobs Matched: {}\nINFO: Min. Match Time: {:g}\nINFO: Max. Match Time: {:g}\n"
      "INFO: Avg. Match Time: {:g}\n",
      matched_, shortest_s_, longest_s_, average_s);
}

}  // namespace copse::query
