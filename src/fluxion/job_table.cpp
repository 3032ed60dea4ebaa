// SPDX-License-Identifier: Apache-2.0
#include "fluxion/job_table.hpp"

namespace copse::fluxion {

const char* word(Job::State state) {
  switch (state) {
    case Job::State::allocated: return "ALLOCATED";
    case Job::State::reserved: return "RESERVED";
    case Job::State::canceled: return "CANCELED";
  }
  return "UNKNOWN";
}

JobId JobTable::grant_number(const Engine& engine, std::uint64_t id) {
  if (id != 0 && engine.grant(id) == nullptr) return id;
  while (engine.grant(next_further_) != nullptr) ++next_further_;
  return next_further_;
}

Job& JobTable::add(std::uint64_t id, JobId grant, std::int64_t at_s, double overhead_s) {
  Job& job = jobs_.try_emplace(jobs_.end(), id)->second;
  if (job.grant == 0) {
    job.grant = grant;
  } else {
    job.further_grants.push_back(grant);
  }
  job.state = at_s > 0 ? Job::State::reserved : Job::State::allocated;
  job.at_s = at_s;
  job.overhead_s = overhead_s;
  return job;
}

const Job* JobTable::find(std::uint64_t id) const {
  const auto at = jobs_.find(id);
  return at == jobs_.end() ? nullptr : &at->second;
}

const Job* JobTable::holding(std::uint64_t id) const {
  const Job* const job = find(id);
  return job == nullptr || job->state == Job::State::canceled ? nullptr : job;
}

void JobTable::cancel(std::uint64_t id) {
  Job& job = jobs_.at(id);
  job.state = Job::State::canceled;
  job.grant = 0;
  job.further_grants.clear();
}

void JobTable::cancel_lost(const Engine& engine) {
  for (auto& [id, job] : jobs_) {
    if (job.state == Job::State::canceled) continue;
    bool lost = true;
    job.for_each_grant([&](JobId grant) { lost = lost && engine.grant(grant) == nullptr; });
    if (lost) cancel(id);
  }
}

}  // namespace copse::fluxion
