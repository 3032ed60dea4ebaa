// SPDX-License-Identifier: Apache-2.0
//
// HeldJobs: asks the job manager which jobs have resources, and which ranks each has freed, after it
// knows that the scheduler is ready. Between its first answer (Hello) and that, it drops what jobs
// free. Cost: one message a job.
#pragma once

#include <flux/core.h>

#include <functional>
#include <memory>
#include <unordered_map>

#include "base/idset.hpp"
#include "copse/ids.hpp"
#include "flux/module/hello.hpp"

namespace copse::flux {

class HeldJobs {
 public:
  using Map = std::unordered_map<JobId, Idset>;
  // The reactor calls `answered` once.
  using Answered = std::function<void(const Map&)>;
  HeldJobs(flux_t* h, Answered answered) : h_(h), answered_(std::move(answered)) {}

  [[nodiscard]] Result<void> ask();  // errors: io

 private:
  flux_t* const h_;
  Answered answered_;
  std::unique_ptr<Hello> hello_;
  Map held_;
};

}  // namespace copse::flux
