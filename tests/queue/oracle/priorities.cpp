// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle/priorities.hpp"

#include <algorithm>
#include <cmath>

namespace copse::queue_oracle {

void Priorities::started(std::uint64_t job, int user, double cores, Time at) {
  runs_[job] = {user, cores, at, -1};
}

void Priorities::ended(std::uint64_t job, Time at) { runs_.at(job).until = at; }

// Core-seconds, halved with every half-life: the integral of 2^-(age/half-life).
double Priorities::used(const Run& run, Time now) const {
  const auto left = [&](Time at) {
    return std::pow(2.0, -static_cast<double>(now - at) / static_cast<double>(rule_.half_life));
  };
  const Time until = run.until < 0 ? std::max(now, run.from) : run.until;
  return run.cores * static_cast<double>(rule_.half_life) / std::log(2.0) *
         (left(until) - left(run.from));
}

double Priorities::fair_share(int user, Time now) const {
  double all = 0, own = 0, shares = 0;
  for (const auto& [job, run] : runs_) {
    const double used_by_it = used(run, now);
    all += used_by_it;
    if (run.user == user) own += used_by_it;
  }
  if (all <= 0) return 1;
  for (const auto& [seen, yes] : users_) shares += rule_.shares[static_cast<std::size_t>(seen)];
  return std::pow(2.0, -(own / all) / (rule_.shares[static_cast<std::size_t>(user)] / shares));
}

std::int64_t Priorities::of(const Asked& job, Time now) const {
  const double waited = static_cast<double>(now - job.submit) / static_cast<double>(rule_.age_max);
  const double sum = rule_.queues[job.queue] + rule_.age * std::min(1.0, waited) +
                     rule_.size * std::min(1.0, job.cores / cores_) +
                     (rule_.fair_share == 0 ? 0 : rule_.fair_share * fair_share(job.user, now));
  return job.given + std::llround(sum);
}

}  // namespace copse::queue_oracle
