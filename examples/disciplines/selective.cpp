// SPDX-License-Identifier: Apache-2.0
//
// A custom discipline: only a job that has waited long enough is promised a start
// (Srinivasan, Kettimuthu, Subramani, Sadayappan, "Selective reservation strategies for backfill
// job scheduling", 2002). CMakeLists.txt builds it. Then run
//   copse plan -L examples/machines/desk.graphml -d ./selective.so examples/jobs/desk.jsonl
#include "copse/plugin.hpp"

namespace {

// The criterion is the expected slowdown: (wait + requested time) / requested time.
copse::Treatment selective(const copse::JobView& job) {
  constexpr double kStarving = 2.5;
  const auto requested_s = static_cast<double>(job.duration_s > 0 ? job.duration_s : 1);
  const auto waited_s = static_cast<double>(job.now_s - job.submit_s);
  const bool starving = (waited_s + requested_s) / requested_s >= kStarving;
  return job.promised || starving ? copse::Treatment::promise : copse::Treatment::wait;
}

}  // namespace

COPSE_DISCIPLINE_PLUGIN({.name = "selective",
                         .summary = "jobs that have waited long enough have promises",
                         .treat = selective})
