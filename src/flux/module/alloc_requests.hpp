// SPDX-License-Identifier: Apache-2.0
//
// AllocRequests: the pending alloc requests of the job manager (RFC 27). The R of a job is written to
// the KVS first, in one commit for many jobs; then the job manager gets the answer.
//
// Cost: one message with its text per answer, without a JSON tree; one message per commit.
#pragma once

#include <flux/core.h>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "flux/messages.hpp"

namespace copse::flux {

class AllocRequests final : public JobManager {
 public:
  explicit AllocRequests(flux_t* h) : h_(h) {}
  ~AllocRequests() override;
  AllocRequests(const AllocRequests&) = delete;
  AllocRequests& operator=(const AllocRequests&) = delete;

  // Adds a request; false, and nothing changes, if one of this job is pending.
  bool add(JobId job, const flux_msg_t* message);
  // Commits the successes since the last call, unless too many commits are pending. To be called at
  // the end of each slice.
  void commit();

  // --- JobManager
  void succeed(JobId job, const std::string& r, const std::string& annotations) override;
  void annotate(JobId job, const std::string& annotations) override;
  void deny(JobId job, const std::string& note) override;
  void cancelled(JobId job) override;
  void complain(const std::string& line) override;

 private:
  static constexpr std::size_t kJobsMax = 128, kBytesMax = std::size_t{1} << 20;  // of a commit
  static constexpr std::size_t kCommitsMax = 4;  // pending at a time; a full commit is sent anyway
  struct Success {
    const flux_msg_t* message = nullptr;  // owns a reference
    std::string answer{};
  };

  const flux_msg_t* take(JobId job);
  void answer(const flux_msg_t* message, JobId job, const std::string& text);
  void send();
  void committed(flux_future_t* future) noexcept;
  void give_up(const char* what);

  flux_t* const h_;
  std::unordered_map<JobId, const flux_msg_t*> requests_;  // pending; owns one reference each
  flux_kvs_txn_t* next_ = nullptr;                         // the commit that is being filled
  std::size_t next_bytes_ = 0;
  std::vector<Success> succeeded_;  // with next_
  std::unordered_map<flux_future_t*, std::vector<Success>> commits_;
};

}  // namespace copse::flux
