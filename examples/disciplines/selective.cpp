// SPDX-License-Identifier: Apache-2.0
//
// A discipline of your own: only a job that has waited for long enough is promised its start
// (Srinivasan, Kettimuthu, Subramani, Sadayappan, "Selective reservation strategies for backfill
// job scheduling", 2002). CMakeLists.txt says how to build it; then
//   copse plan -L examples/machines/desk.graphml -d ./selective.so examples/jobs/desk.jsonl
#include "copse/plugin.hpp"

namespace {

// Its expected slowdown: its time from submission to its end, divided by the time that it requests.
copse::Treatment selective(const copse::Look& look) {
  constexpr double kStarving = 2.5;
  const auto asked_s = static_cast<double>(look.duration_s > 0 ? look.duration_s : 1);
  const auto waited_s = static_cast<double>(look.now_s - look.submit_s);
  const bool starving = (waited_s + asked_s) / asked_s >= kStarving;
  return look.promised || starving ? copse::Treatment::promise : copse::Treatment::wait;
}

}  // namespace

COPSE_DISCIPLINE_PLUGIN({.name = "selective",
                         .summary = "jobs that have waited long enough have promises",
                         .treat = selective})
