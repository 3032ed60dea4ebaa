// SPDX-License-Identifier: Apache-2.0
#include "plan/run/dependencies.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/duration.hpp"
#include "base/saturating.hpp"
#include "plan/schedule.hpp"

namespace copse::plan {

namespace {

enum class Comes : std::uint8_t { now, later, never };

Comes comes(Dependency::On on, Dependencies::Fact fact) {
  using Fact = Dependencies::Fact;
  const bool ended = fact != Fact::started && fact != Fact::unplaceable;
  if (fact == Fact::unplaceable) return Comes::never;
  switch (on) {
    case Dependency::On::started:
      return fact == Fact::started ? Comes::now : fact == Fact::gone ? Comes::never : Comes::later;
    case Dependency::On::ended: return ended ? Comes::now : Comes::later;
    case Dependency::On::ended_well:
      return !ended ? Comes::later : fact == Fact::ended_well ? Comes::now : Comes::never;
    case Dependency::On::failed:
      return !ended ? Comes::later : fact == Fact::ended_well ? Comes::never : Comes::now;
  }
  return Comes::later;
}

}  // namespace

Dependencies::Dependencies(const Jobs& jobs) : jobs_(jobs) {
  if (jobs.after.empty()) return;
  left_.resize(jobs.jobs.size());
  ready_s_.resize(jobs.jobs.size());
  awaited_by_.resize(jobs.jobs.size());
  waiter_.resize(jobs.after.size());
  came_.resize(jobs.after.size());
  for (std::uint32_t j = 0; j < jobs.jobs.size(); ++j) {
    const Job& job = jobs.jobs[j];
    left_[j] = job.after_count;
    for (std::uint32_t d = job.after_first; d < job.after_first + job.after_count; ++d) {
      waiter_[d] = j;
      awaited_by_[jobs.after[d].job].push_back(d);
    }
  }
}

std::vector<Dependencies::Freed> Dependencies::happened(std::uint32_t job, Fact fact,
                                                        std::int64_t time_s) {
  std::vector<Freed> out;
  if (left_.empty()) return out;
  struct Reached {
    std::uint32_t job;
    Fact fact;
  };
  std::vector<Reached> reached{{job, fact}};
  while (!reached.empty()) {
    const Reached what = reached.back();
    reached.pop_back();
    for (const std::uint32_t d : awaited_by_[what.job]) {
      const std::uint32_t waiter = waiter_[d];
      if (came_[d] || left_[waiter] == kLost) continue;
      switch (comes(jobs_.after[d].on, what.fact)) {
        case Comes::later: break;
        case Comes::now:
          came_[d] = true;
          ready_s_[waiter] =
              std::max(ready_s_[waiter], saturating_sum(time_s, jobs_.after[d].delay_s));
          if (--left_[waiter] == 0) out.push_back({waiter, ready_s_[waiter]});
          break;
        case Comes::never:
          left_[waiter] = kLost;
          out.push_back({waiter, time_s, jobs_.after[d]});
          reached.push_back(
              {waiter, what.fact == Fact::unplaceable ? Fact::unplaceable : Fact::gone});
          break;
      }
    }
  }
  return out;
}

Dependency Dependencies::first_left(std::uint32_t job) const {
  assert(!free(job) && !lost(job));
  const Job& asked = jobs_.jobs[job];
  std::uint32_t d = asked.after_first;
  while (came_[d]) ++d;
  return jobs_.after[d];
}

std::string lost_text(const Jobs& jobs, const Dependency& by) {
  const std::string job = "job \"" + jobs.jobs[by.job].name + "\"";
  switch (by.on) {
    case Dependency::On::started:
      return "it waits for the start of " + job + ", which never starts";
    case Dependency::On::ended: return "it waits for the end of " + job + ", which never ends";
    case Dependency::On::ended_well: return "it waits for " + job + ", which did not end well";
    case Dependency::On::failed: return "it waits for " + job + " to fail, which it does not";
  }
  return {};
}

std::string awaited_text(const Jobs& jobs, const Dependency& by) {
  const std::string delay =
      by.delay_s == 0 ? "when" : fmt::format("{} after", duration_text(by.delay_s));
  std::string text = fmt::format("it joins the queue {} job {}", delay, jobs.jobs[by.job].name);
  switch (by.on) {
    case Dependency::On::started: return text + " has started";
    case Dependency::On::ended: return text + " has ended";
    case Dependency::On::ended_well: return text + " has ended well";
    case Dependency::On::failed: return text + " has failed";
  }
  return text;
}

}  // namespace copse::plan
