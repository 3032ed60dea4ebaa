// SPDX-License-Identifier: Apache-2.0
//
// Expirations: when jobs end that run already. R in the KVS says when they were to end at first;
// what `flux update` made of that is in their eventlogs, and job-info applies it.
//
// A few are asked for at one time: each request that waits makes every turn of the reactor longer.
#pragma once

#include <flux/core.h>

#include <deque>
#include <functional>
#include <unordered_map>

#include "copse/ids.hpp"

namespace copse::flux {

class Expirations {
 public:
  // `told` is called later, from the reactor, for each job whose end is known.
  Expirations(flux_t* h, std::function<void(JobId, double)> told) : h_(h), told_(std::move(told)) {}
  ~Expirations();
  Expirations(const Expirations&) = delete;
  Expirations& operator=(const Expirations&) = delete;

  void add(JobId job) { waiting_.push_back(job); }
  void ask();  // for all that were added

 private:
  static constexpr std::size_t kAtOneTime = 32;

  bool ask_one();
  void answered(flux_future_t* future) noexcept;

  flux_t* const h_;
  std::function<void(JobId, double)> told_;
  std::deque<JobId> waiting_{};
  std::unordered_map<flux_future_t*, JobId> asked_{};
};

}  // namespace copse::flux
