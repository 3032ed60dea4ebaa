// SPDX-License-Identifier: Apache-2.0
#include "state/grants.hpp"

#include <cassert>

namespace copse {

namespace {
constexpr std::size_t kKeptMax = 8;  // entries of a selection whose memory is used again
}

std::uint32_t Grants::add(JobId job, std::int64_t start, std::int64_t end) {
  assert(!contains(job));
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(grants_.size()));
    grants_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Grant& grant = grants_[number];
  grant.job = job;
  grant.start = start;
  grant.end = end;
  by_job_.emplace(job, number);
  return number;
}

void Grants::drop(std::uint32_t number) {
  Grant& grant = grants_[number];
  by_job_.erase(grant.job);
  grant.job = 0;
  grant.nslots = 0;
  grant.selection.taken.clear();
  grant.selection.moved.clear();
  grant.draw.clear();
  // Else a number whose grants vary would keep the memory of the largest of them.
  if (grant.selection.taken.capacity() > kKeptMax) grant.selection.taken.shrink_to_fit();
  free_.push_back(number);
}

std::optional<std::uint32_t> Grants::number_of(JobId job) const {
  const auto at = by_job_.find(job);
  if (at == by_job_.end()) return {};
  return at->second;
}

const Grant* Grants::find(JobId job) const {
  const auto at = by_job_.find(job);
  return at == by_job_.end() ? nullptr : &grants_[at->second];
}

std::vector<JobId> Grants::jobs() const {
  std::vector<JobId> out;
  out.reserve(by_job_.size());
  for (const auto& [job, number] : by_job_) out.push_back(job);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace copse
