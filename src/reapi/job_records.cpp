// SPDX-License-Identifier: Apache-2.0
#include "reapi/job_records.hpp"

namespace copse::reapi {

JobId JobRecords::grant_number(const Engine& engine, std::uint64_t id) {
  if (id != 0 && engine.grant(id) == nullptr) return id;
  while (engine.grant(next_further_) != nullptr) ++next_further_;
  return next_further_;
}

void JobRecords::add(std::uint64_t id, JobId grant, std::int64_t at_s, bool reserved,
                     double overhead_s) {
  JobRecord& job = jobs_[id];
  if (job.state == JobRecord::State::canceled) job.grants.clear();
  job.state = reserved ? JobRecord::State::reserved : JobRecord::State::allocated;
  job.at_s = at_s;
  job.overhead_s = overhead_s;
  job.grants.push_back(grant);
}

const JobRecord* JobRecords::find(std::uint64_t id) const {
  const auto at = jobs_.find(id);
  return at == jobs_.end() ? nullptr : &at->second;
}

const JobRecord* JobRecords::alive(std::uint64_t id) const {
  const JobRecord* const job = find(id);
  return job == nullptr || job->state == JobRecord::State::canceled ? nullptr : job;
}

void JobRecords::cancel(std::uint64_t id) {
  JobRecord& job = jobs_.at(id);
  job.state = JobRecord::State::canceled;
  job.grants.clear();
}

}  // namespace copse::reapi
