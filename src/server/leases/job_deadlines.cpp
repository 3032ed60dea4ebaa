// SPDX-License-Identifier: Apache-2.0
#include "server/leases/job_deadlines.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/saturating.hpp"

namespace copse::server {

void Leases::begin(JobId id, std::int64_t lease_s, std::int64_t now_ms) {
  end(id);
  if (lease_s == 0) return;
  const std::int64_t end_ms = saturating_sum(now_ms, saturating_product(lease_s, 1'000));
  by_end_.emplace(end_ms, id);
  ends_.emplace(id, end_ms);
}

void Leases::end(JobId id) {
  const auto at = ends_.find(id);
  if (at == ends_.end()) return;
  by_end_.erase({at->second, id});
  ends_.erase(at);
}

std::optional<JobId> Leases::expired(std::int64_t now_ms) const {
  if (by_end_.empty() || by_end_.begin()->first > now_ms) return std::nullopt;
  return by_end_.begin()->second;
}

bool JobDeadlines::set_time(std::int64_t now_ms) {
  now_ms_ = std::max(now_ms_, now_ms);
  return next_over().has_value();
}

void JobDeadlines::set_down(DownJobs jobs) {
  for (const auto& [job, node] : down_jobs_) {
    if (!jobs.contains(job)) down_.end(job);
  }
  for (const auto& [job, node] : jobs) {
    if (!down_jobs_.contains(job)) down_.begin(job, graces_.down_s, now_ms_);
  }
  down_jobs_ = std::move(jobs);
}

void JobDeadlines::end(JobId job) {
  leases_.end(job);
  stopping_.end(job);
  down_.end(job);
  down_jobs_.erase(job);
}

std::optional<JobDeadlines::Over> JobDeadlines::next_over() const {
  if (const auto job = leases_.expired(now_ms_)) return Over{.job = *job, .cause = Cause::lease};
  if (const auto job = stopping_.expired(now_ms_)) {
    return Over{.job = *job, .cause = Cause::stopping};
  }
  const auto job = down_.expired(now_ms_);
  if (!job) return std::nullopt;
  const auto node = down_jobs_.find(*job);
  return Over{.job = *job,
              .cause = Cause::down,
              .node = node == down_jobs_.end() ? std::string() : node->second};
}

std::string why_overdue(const JobDeadlines::Over& over, std::int64_t lease_s,
                        const JobDeadlines::Graces& graces) {
  switch (over.cause) {
    case JobDeadlines::Cause::lease:
      return fmt::format("lease expired: not renewed for {} seconds", lease_s);
    case JobDeadlines::Cause::stopping:
      return fmt::format("its executor did not report its end within {} seconds",
                         graces.stopping_s);
    case JobDeadlines::Cause::down: break;
  }
  return fmt::format("{} was down for {} seconds", over.node, graces.down_s);
}

}  // namespace copse::server
