// SPDX-License-Identifier: Apache-2.0
//
// Two disciplines of your own in one plugin, by a job's request and by its user:
//   wide   only jobs of many nodes, which smaller ones would pass for ever, are promised a start
//   owner  only jobs of the user "owner" are; all other jobs start on the remaining nodes
// CMakeLists.txt says how to build it; then
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
