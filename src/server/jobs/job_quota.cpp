// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_quota.hpp"

#include <cassert>

#include <fmt/format.h>

#include "text/counted.hpp"

namespace copse::server {

namespace {

std::unexpected<Error> too_many(const std::string& text) {
  return fail(ErrorCode::insufficient, text + ": submit again after some have ended");
}

}  // namespace

std::size_t text_bytes(const JobRow& row) {
  return row.name.size() + row.user.size() + row.queue.size() + row.reservation.size() +
         row.shape.size() + row.hres.size() + row.constraints.size() + row.jobspec.size() +
         row.result.size() + row.message.size() + row.placement.size();
}

Result<void> JobQuota::admit(const JobRow& row, bool is_operator) const {
  const std::size_t bytes = text_bytes(row);
  if (bytes > limits_.bytes_per_job) {
    return fail(ErrorCode::limit, fmt::format("the texts of the job have {} bytes; the limit is {}",
                                              bytes, limits_.bytes_per_job));
  }
  const std::size_t jobs_max = limits_.jobs - (is_operator ? 0 : limits_.jobs_for_operators);
  if (all_.jobs >= jobs_max) {
    return too_many(fmt::format("the limit of {} is reached{}",
                                counted(jobs_max, "unfinished job", "unfinished jobs"),
                                is_operator ? "" : " for users other than operators"));
  }
  const std::size_t bytes_max = limits_.bytes - (is_operator ? 0 : limits_.bytes_for_operators);
  if (all_.bytes + bytes > bytes_max) {
    return too_many(fmt::format("the texts of unfinished jobs would exceed {} bytes", bytes_max));
  }
  if (is_operator) return {};
  const auto at = by_user_.find(row.user);
  const Usage own = at == by_user_.end() ? Usage{} : at->second;
  if (own.jobs >= limits_.jobs_per_user) {
    return too_many(
        fmt::format("the limit of {} per user is reached",
                    counted(limits_.jobs_per_user, "unfinished job", "unfinished jobs")));
  }
  if (own.bytes + bytes > limits_.bytes_per_user) {
    return too_many(fmt::format("the texts of your unfinished jobs would exceed {} bytes",
                                limits_.bytes_per_user));
  }
  return {};
}

void JobQuota::add(const JobRow& row) {
  const std::size_t bytes = text_bytes(row);
  Usage& own = by_user_[row.user];
  for (Usage* usage : {&all_, &own}) {
    ++usage->jobs;
    usage->bytes += bytes;
  }
}

void JobQuota::remove(const JobRow& row) {
  const std::size_t bytes = text_bytes(row);
  const auto own = by_user_.find(row.user);
  assert(own != by_user_.end() && own->second.jobs > 0 && own->second.bytes >= bytes);
  for (Usage* usage : {&all_, &own->second}) {
    --usage->jobs;
    usage->bytes -= bytes;
  }
  if (own->second.jobs == 0) by_user_.erase(own);
}

}  // namespace copse::server
