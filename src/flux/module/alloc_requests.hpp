// SPDX-License-Identifier: Apache-2.0
//
// AllocRequests: the job manager's requests for resources until they are answered (RFC 27). What a
// job has got goes to the KVS first, that of many jobs in one commit, and then to the job manager.
//
// Cost: an answer is one message and its text, no tree of JSON; a commit is one more for all.
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

  // Keeps a request; false, and nothing is kept, if one of this job is pending.
  bool add(JobId job, const flux_msg_t* message);
  // Sends what has succeeded since, or gathers more while some commits are under way. To be called
  // at the end of each turn.
  void commit();

  // --- JobManager
  void succeed(JobId job, const std::string& r, const std::string& annotations) override;
  void annotate(JobId job, const std::string& annotations) override;
  void deny(JobId job, const std::string& note) override;
  void cancelled(JobId job) override;
  void complain(const std::string& line) override;

 private:
  static constexpr std::size_t kJobsMax = 128, kBytesMax = std::size_t{1} << 20;  // of a commit
  static constexpr std::size_t kCommitsMax = 4;  // under way at one time, unless one is full
  struct Success {
    const flux_msg_t* message = nullptr;  // a reference
    std::string answer{};
  };

  const flux_msg_t* take(JobId job);
  void answer(const flux_msg_t* message, JobId job, const std::string& text);
  void send();
  void committed(flux_future_t* future) noexcept;
  void give_up(const char* what);

  flux_t* const h_;
  std::unordered_map<JobId, const flux_msg_t*> requests_;  // pending; one reference each
  flux_kvs_txn_t* next_ = nullptr;                         // the commit that gathers
  std::size_t next_bytes_ = 0;
  std::vector<Success> succeeded_;  // with next_
  std::unordered_map<flux_future_t*, std::vector<Success>> commits_;
};

}  // namespace copse::flux
