// SPDX-License-Identifier: Apache-2.0
//
// Two custom disciplines in one plugin, by a job's request and by its user:
//   wide   only jobs of many nodes are promised a start; otherwise smaller jobs would always pass them
//   owner  only jobs of the user "owner" are promised a start; all others start on the remaining nodes
// CMakeLists.txt builds them. Then run
//   copse plan -L examples/machines/desk.graphml -d ./wide.so:owner examples/jobs/desk.jsonl
#include "copse/plugin.hpp"

namespace {

copse::Treatment wide(const copse::JobView& job) {
  constexpr std::int64_t kWide = 3;  // nodes
  return job.nodes >= kWide ? copse::Treatment::promise : copse::Treatment::wait;
}

copse::Treatment owner(const copse::JobView& job) {
  return job.user == "owner" ? copse::Treatment::promise : copse::Treatment::wait;
}

}  // namespace

COPSE_DISCIPLINE_PLUGIN(
    {.name = "wide", .summary = "jobs of three nodes or more have promises", .treat = wide},
    {.name = "owner", .summary = "jobs of the user owner have promises", .treat = owner})
