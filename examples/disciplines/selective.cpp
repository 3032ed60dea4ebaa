// SPDX-License-Identifier: Apache-2.0
//
// A discipline of your own: only a job that has waited for long enough is promised its start
// (Srinivasan, Kettimuthu, Subramani, Sadayappan, "Selective reservation strategies for backfill
// job scheduling", 2002). CMakeLists.txt says how to build it; then
//   copse plan -L examples/machines/desk.graphml -d ./selective.so examples/jobs/desk.jsonl
#include "copse/plugin.hpp"

namespace {

// Its expected slowdown: the time that it will have taken, by the time that it asks for.
copse::Treatment selective(const copse::JobView& job) {
  constexpr double kStarving = 2.5;
  const auto asked_s = static_cast<double>(job.duration_s > 0 ? job.duration_s : 1);
  const auto waited_s = static_cast<double>(job.now_s - job.submit_s);
  const bool starving = (waited_s + asked_s) / asked_s >= kStarving;
  return job.promised || starving ? copse::Treatment::promise : copse::Treatment::wait;
}

}  // namespace

COPSE_DISCIPLINE_PLUGIN({.name = "selective",
                         .summary = "jobs that have waited long enough have promises",
                         .treat = selective})
