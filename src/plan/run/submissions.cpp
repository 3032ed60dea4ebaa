// SPDX-License-Identifier: Apache-2.0
#include "plan/run/submissions.hpp"

#include <algorithm>
#include <numeric>

namespace copse::plan {

Submissions::Submissions(const Jobs& jobs, const Dependencies& dependencies)
    : jobs_(jobs), dependencies_(dependencies), by_time_(jobs.jobs.size()) {
  std::iota(by_time_.begin(), by_time_.end(), 0U);
  std::erase_if(by_time_, [&](std::uint32_t j) { return jobs.jobs[j].submitted_after; });
  std::ranges::stable_sort(by_time_, {}, [&](std::uint32_t j) { return jobs.jobs[j].submit_s; });
}

std::optional<std::int64_t> Submissions::next_s() const {
  std::optional<std::int64_t> out;
  if (next_ < by_time_.size()) out = jobs_.jobs[by_time_[next_]].submit_s;
  if (!delayed_by_time_.empty()) {
    const std::int64_t delayed_s = delayed_by_time_.begin()->first;
    out = out ? std::min(*out, delayed_s) : delayed_s;
  }
  return out;
}

bool Submissions::was_submitted(std::uint32_t job) const {
  if (jobs_.jobs[job].submitted_after || next_ == by_time_.size()) return true;
  const std::uint32_t next = by_time_[next_];
  return std::pair(jobs_.jobs[job].submit_s, job) < std::pair(jobs_.jobs[next].submit_s, next);
}

void Submissions::free(std::uint32_t job, std::int64_t time_s, std::int64_t now_s) {
  if (time_s > now_s) {
    delayed_by_time_.emplace(time_s, job);
    delayed_.insert(job);
  } else if (was_submitted(job)) {
    released_.push_back(job);
  }
}

std::optional<std::uint32_t> Submissions::next(std::int64_t now_s) {
  while (next_ < by_time_.size() && jobs_.jobs[by_time_[next_]].submit_s <= now_s) {
    const std::uint32_t job = by_time_[next_++];
    if (dependencies_.free(job) && !delayed_.contains(job)) return job;
  }
  return std::nullopt;
}

std::vector<std::uint32_t> Submissions::released(std::int64_t now_s) {
  while (!delayed_by_time_.empty() && delayed_by_time_.begin()->first <= now_s) {
    const std::uint32_t job = delayed_by_time_.begin()->second;
    delayed_by_time_.erase(delayed_by_time_.begin());
    delayed_.erase(job);
    if (was_submitted(job)) released_.push_back(job);
  }
  std::vector<std::uint32_t> out = std::exchange(released_, {});
  std::ranges::sort(out);
  return out;
}

std::vector<std::uint32_t> Submissions::give_up() {
  std::vector<std::uint32_t> out = std::exchange(released_, {});
  for (const auto& [time_s, job] : std::exchange(delayed_by_time_, {})) {
    if (!dependencies_.lost(job)) out.push_back(job);
  }
  delayed_.clear();
  return out;
}

}  // namespace copse::plan
