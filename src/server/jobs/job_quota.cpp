// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_quota.hpp"

#include <cassert>

#include <fmt/format.h>

#include "text/counted.hpp"

namespace copse::server {

namespace {

std::unexpected<Error> too_many(const std::string& text) {
  return fail(ErrorCode::insufficient, text + ": submit it again when some have ended");
}

}  // namespace

std::size_t text_bytes(const JobRow& row) {
  return row.name.size() + row.user.size() + row.queue.size() + row.reservation.size() +
         row.shape.size() + row.hres.size() + row.constraints.size() + row.jobspec.size() +
         row.result.size() + row.message.size() + row.ran.size();
}

Result<void> JobQuota::admit(const JobRow& row, bool operates) const {
  const std::size_t bytes = text_bytes(row);
  if (bytes > limits_.bytes_of_job) {
    return fail(ErrorCode::limit, fmt::format("the texts of the job have {} bytes; a job has at "
                                              "most {}",
                                              bytes, limits_.bytes_of_job));
  }
  const std::size_t jobs_max = limits_.jobs - (operates ? 0 : limits_.jobs_kept);
  if (all_.jobs >= jobs_max) {
    return too_many(fmt::format("{} not ended, as many as may be{}",
                                counted(all_.jobs, "job has", "jobs have"),
                                operates ? "" : " without those of operators"));
  }
  const std::size_t bytes_max = limits_.bytes - (operates ? 0 : limits_.bytes_kept);
  if (all_.bytes + bytes > bytes_max) {
    return too_many(
        fmt::format("the texts of jobs that have not ended would have more than {} "
                    "bytes",
                    bytes_max));
  }
  if (operates) return {};
  const auto at = by_user_.find(row.user);
  const Use own = at == by_user_.end() ? Use{} : at->second;
  if (own.jobs >= limits_.jobs_of_user) {
    return too_many(fmt::format("you have {} not ended, as many as a user may have",
                                counted(own.jobs, "job that has", "jobs that have")));
  }
  if (own.bytes + bytes > limits_.bytes_of_user) {
    return too_many(
        fmt::format("the texts of your jobs that have not ended would have more than "
                    "{} bytes",
                    limits_.bytes_of_user));
  }
  return {};
}

void JobQuota::add(const JobRow& row) {
  const std::size_t bytes = text_bytes(row);
  Use& own = by_user_[row.user];
  for (Use* use : {&all_, &own}) {
    ++use->jobs;
    use->bytes += bytes;
  }
}

void JobQuota::remove(const JobRow& row) {
  const std::size_t bytes = text_bytes(row);
  const auto own = by_user_.find(row.user);
  assert(own != by_user_.end() && own->second.jobs > 0 && own->second.bytes >= bytes);
  for (Use* use : {&all_, &own->second}) {
    --use->jobs;
    use->bytes -= bytes;
  }
  if (own->second.jobs == 0) by_user_.erase(own);
}

}  // namespace copse::server
