// SPDX-License-Identifier: Apache-2.0
//
// Expirations: requests the ends of running jobs. R in the KVS has the original end; `flux update`
// records later changes in the eventlog of the job, and job-info applies them.
//
// A few requests are sent at a time: each pending request slows down the reactor.
#pragma once

#include <flux/core.h>

#include <deque>
#include <functional>
#include <unordered_map>

#include "copse/ids.hpp"

namespace copse::flux {

class Expirations {
 public:
  // The reactor calls `changed` for each job with a known end.
  Expirations(flux_t* h, std::function<void(JobId, double)> changed)
      : h_(h), changed_(std::move(changed)) {}
  ~Expirations();
  Expirations(const Expirations&) = delete;
  Expirations& operator=(const Expirations&) = delete;

  void add(JobId job) { waiting_.push_back(job); }
  void request();  // for all jobs that were added

 private:
  static constexpr std::size_t kPendingMax = 32;

  bool request_one();
  void receive(flux_future_t* future) noexcept;

  flux_t* const h_;
  std::function<void(JobId, double)> changed_;
  std::deque<JobId> waiting_{};
  std::unordered_map<flux_future_t*, JobId> pending_{};
};

}  // namespace copse::flux
