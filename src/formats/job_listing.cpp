// SPDX-License-Identifier: Apache-2.0
#include "formats/job_listing.hpp"

#include <utility>

#include <fmt/format.h>

#include "text/counted.hpp"

namespace copse {

bool JobListing::add(ClusterJob job, const Token& token) {
  shares_ += job.nodes.size();
  if (jobs_.jobs.size() == kClusterJobsMax || shares_ > kClusterSharesMax) {
    return walk_.refuse(token.offset,
                        fmt::format("too many jobs (limit {}) or nodes of jobs (limit {})",
                                    kClusterJobsMax, kClusterSharesMax),
                        ErrorCode::limit);
  }
  jobs_.jobs.push_back(std::move(job));
  return true;
}

bool JobListing::take_hosts(std::string_view key, Result<std::vector<std::string>> names,
                            const Token& token, std::vector<std::string>& hosts) {
  if (!names) return refuse(token, names.error(), member_of_job(key) + ": ");
  hosts = std::move(*names);
  return true;
}

bool JobListing::refuse(const Token& token, const Error& error, std::string_view before) {
  return walk_.refuse(token.offset, std::string(before) + error.text, error.code);
}

void JobListing::spread(ClusterJob& job, std::int64_t units, std::vector<std::string> hosts,
                        const NodeShare& share) {
  const auto count = static_cast<std::int64_t>(hosts.size());
  job.spread = units;
  for (std::string& host : hosts) {
    NodeShare& added = job.nodes.emplace_back(share);
    added.host = std::move(host);
    added.whole = units == 0;
    added.cores_anywhere = (units + count - 1) / count;
  }
}

std::string member_of_job(std::string_view key) { return fmt::format("\"{}\" of a job", key); }

void add_skipped_remark(ClusterJobs& jobs) {
  if (jobs.skipped == 0) return;
  jobs.remarks.push_back(counted(
      jobs.skipped, "job ends before it starts, or starts before it was submitted: it is left out",
      "jobs end before they start, or start before they were submitted: they are left out"));
}

}  // namespace copse
