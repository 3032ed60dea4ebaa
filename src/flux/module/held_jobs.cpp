// SPDX-License-Identifier: Apache-2.0
#include "flux/module/held_jobs.hpp"

#include <utility>

namespace copse::flux {

Result<void> HeldJobs::ask() {
  hello_ = std::make_unique<Hello>(
      h_, Hello::Options{.resources = false}, [] { return Result<void>(); },
      [this](const HelloJob& job) {
        held_.emplace(job.id, job.freed);
        return Result<void>();
      },
      [this](const Result<void>& result) {
        const Map held = std::exchange(held_, {});
        if (result) return answered_(held);
        flux_log(h_, LOG_ERR, "%s", result.error().message().c_str());
      });
  return hello_->start();
}

}  // namespace copse::flux
