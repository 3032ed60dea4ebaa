// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a stream of jobs, JSON lines or a trace. What is refused says why, with the place.
// What is accepted keeps the invariants of jobs, and goes through the queue of a small machine in
// each discipline: nobody starts before it was submitted, and in the end nobody has anything.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "go_on.hpp"
#include "plan/schedule.hpp"
#include "plan/streams/job_reader.hpp"
#include "target.hpp"

namespace {

using copse::fuzz::require;
using namespace copse::plan;

void check(const Jobs& jobs) {
  for (const Job& job : jobs.jobs) {
    require(!job.name.empty() && job.submit_s >= 0 && job.submit_s <= copse::kTimeMax_s);
    require(job.run_s >= 1 && job.run_s <= copse::kTimeMax_s);
    require(job.duration_s >= 1 && job.duration_s <= copse::kTimeMax_s);
    require(job.request < jobs.requests.size());
  }
}

void go(Jobs jobs, const copse::Discipline& discipline) {
  for (Job& job : jobs.jobs) {  // the horizon of an engine is nearer than that of jobs
    job.submit_s %= 1'000'000;
    job.duration_s = job.duration_s % 1'000'000 + 1;
  }
  auto engine = copse::fuzz::engine_on(copse::fuzz::small_machine(), "low");
  struct Told {
    bool runs = false, settled = false;  // it started once, was refused, or withdrawn
  };
  std::vector<Told> told(jobs.jobs.size());
  const auto settle = [&](std::uint32_t job) {
    require(!told[job].runs);
    told[job].settled = true;
  };
  ScheduleObserver observer;
  observer.started = [&](std::uint32_t job, std::int64_t start_s, std::int64_t end_s, Ending,
                         const copse::Grant& grant) {
    require(start_s >= jobs.jobs[job].submit_s && start_s < end_s && !grant.selection.empty());
    settle(job);
    told[job].runs = true;
  };
  observer.ended = [&](std::uint32_t job, std::int64_t) {
    require(std::exchange(told[job].runs, false));
  };
  observer.refused = [&](std::uint32_t job, std::int64_t, const copse::Error& error) {
    require(!error.text.empty());
    settle(job);
  };
  observer.withdrawn = [&](std::uint32_t job, std::int64_t, bool) { settle(job); };
  require(schedule(*engine, jobs, discipline, observer).has_value());
  require(engine->grant_count() == 0);
  for (const Told& job : told) require(job.settled && !job.runs);
}

}  // namespace

FUZZ_TARGET(jobs) {
  if (size < 1 || size > 8192) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  ReadOptions options;
  options.jobs_max = 40;
  options.line_bytes_max = 4096;
  options.processors_per_node = data[0] % 8;
  const auto jobs = read_jobs(text, "fuzz", options);
  if (!jobs) {
    require(!jobs.error().text.empty() && jobs.error().place.file == "fuzz");
    require(jobs.error().text.find('\n') == std::string::npos);
    return 0;
  }
  check(*jobs);
  go(*jobs, copse::bundled_disciplines()[data[0] / 8 % 4]);
  return 0;
}
