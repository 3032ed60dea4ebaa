// SPDX-License-Identifier: Apache-2.0
#include "plan/scheduler.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace copse::plan {

namespace {

constexpr std::uint32_t kRefused = UINT32_MAX;  // of awaits_

}  // namespace

Result<void> schedule(Engine& engine, const Jobs& jobs, const Discipline& discipline,
                      const Watch& watch) {
  return Scheduler(engine, jobs, discipline, watch).run();
}

Scheduler::Scheduler(Engine& engine, const Jobs& jobs, const Discipline& discipline,
                     const Watch& watch)
    : engine_(engine),
      jobs_(jobs),
      watch_(watch),
      queue_(engine, {{.discipline = discipline}}, *this),
      submits_(jobs.jobs.size()) {
  std::iota(submits_.begin(), submits_.end(), 0U);
  std::ranges::stable_sort(submits_, {}, [&](std::uint32_t j) { return jobs.jobs[j].submit_s; });
  for (std::uint32_t r = 0; r < jobs.requests.size(); ++r) kinds_.push_back(std::to_string(r));
  if (!jobs.after.empty()) awaited_by_.resize(jobs.jobs.size());
  awaits_.resize(awaited_by_.size());
  for (std::uint32_t j = 0; j < awaits_.size(); ++j) {
    awaits_[j] = jobs.jobs[j].after_count;
    for (const std::uint32_t awaited : jobs.after_of(jobs.jobs[j])) {
      awaited_by_[awaited].push_back(j);
    }
  }
  for (const JobId job : engine.jobs()) first_grant_ = std::max(first_grant_, job + 1);
}

std::optional<std::int64_t> Scheduler::next_time() const {
  std::optional<std::int64_t> out = queue_.next_time();
  const auto take = [&](std::int64_t time_s) { out = out ? std::min(*out, time_s) : time_s; };
  if (next_submit_ < submits_.size()) take(jobs_.jobs[submits_[next_submit_]].submit_s);
  if (!ends_.empty()) take(ends_.top().time_s);
  return out;
}

Result<void> Scheduler::run() {
  while (auto time_s = next_time()) {
    // Grants of others alone are no reason to go on.
    if (next_submit_ == submits_.size() && queue_.waiting() == 0 && queue_.running() == 0) break;
    time_s = std::max(*time_s, engine_.now());
    end_jobs(*time_s);
    if (auto ok = queue_.advance(*time_s); !ok) return ok;
    submit_jobs();
    work();
    if (watch_.moment) watch_.moment(*time_s, queue_.waiting());
  }
  return {};
}

void Scheduler::end_jobs(std::int64_t now_s) {
  while (!ends_.empty() && ends_.top().time_s <= now_s) {
    const End end = ends_.top();
    ends_.pop();
    [[maybe_unused]] const auto ended = queue_.ended(first_grant_ + end.job, end.time_s);
    assert(ended);
    if (watch_.ended) watch_.ended(end.job, end.time_s);
    if (awaited_by_.empty()) continue;
    const Job& job = jobs_.jobs[end.job];
    if (job.length_s() == job.run_s) {
      release(end.job);
    } else {
      refuse_after(end.job, end.time_s);
    }
  }
}

void Scheduler::release(std::uint32_t job) {
  for (const std::uint32_t next : awaited_by_[job]) {
    if (awaits_[next] == kRefused) continue;
    if (--awaits_[next] == 0 && jobs_.jobs[next].submit_s <= engine_.now())
      released_.push_back(next);
  }
}

void Scheduler::refuse_after(std::uint32_t job, std::int64_t now_s) {
  if (awaited_by_.empty()) return;
  std::vector<std::uint32_t> gone{job};
  while (!gone.empty()) {
    const std::uint32_t awaited = gone.back();
    gone.pop_back();
    for (const std::uint32_t next : awaited_by_[awaited]) {
      if (awaits_[next] == kRefused) continue;
      awaits_[next] = kRefused;
      gone.push_back(next);
      if (watch_.refused) {
        watch_.refused(
            next, now_s,
            {ErrorCode::insufficient,
             "it waits for job \"" + jobs_.jobs[awaited].name + "\", which did not end well",
             {}});
      }
    }
  }
}

void Scheduler::submit_jobs() {
  while (next_submit_ < submits_.size() &&
         jobs_.jobs[submits_[next_submit_]].submit_s <= engine_.now()) {
    const std::uint32_t job = submits_[next_submit_++];
    if (awaits_.empty() || awaits_[job] == 0) submit(job);
  }
  // In the order of the stream, whoever ended first.
  std::ranges::sort(released_);
  for (const std::uint32_t job : released_) submit(job);
  released_.clear();
}

void Scheduler::submit(std::uint32_t number) {
  const Job& job = jobs_.jobs[number];
  [[maybe_unused]] const auto submitted = queue_.submit({.id = first_grant_ + number,
                                                         .submit_s = job.submit_s,
                                                         .duration_s = job.duration_s,
                                                         .priority = job.priority,
                                                         .kind = kinds_[job.request],
                                                         .request = &jobs_.requests[job.request]});
  assert(submitted);
}

// Who fits at no time is refused: in a stream nobody mends a node, or ends what has no end.
void Scheduler::work() {
  for (;;) {
    queue_.work();
    if (stuck_.empty() && queue_.running() == 0 && !next_time() && queue_.first()) {
      stuck_.push_back(*queue_.first());
    }
    if (stuck_.empty()) return;
    refuse_stuck();
  }
}

void Scheduler::refuse_stuck() {
  for (const JobId grant : stuck_) {
    [[maybe_unused]] const auto cancelled = queue_.cancel(grant);
    assert(cancelled);
    refuse(grant, {ErrorCode::insufficient,
                   "it fits at no time: what it needs is down, or in use without end",
                   {}});
  }
  stuck_.clear();
}

void Scheduler::refuse(JobId grant, const Error& error) {
  if (watch_.refused) watch_.refused(job_of(grant), engine_.now(), error);
  refuse_after(job_of(grant), engine_.now());
}

// --- What the queue says

void Scheduler::started(JobId grant, const Grant& what) {
  const std::uint32_t job = job_of(grant);
  const std::int64_t now_s = engine_.now();
  const std::int64_t end_s = std::min(what.end, now_s + jobs_.jobs[job].length_s());
  ends_.push({end_s, ends_made_++, job});
  if (watch_.started) watch_.started(job, now_s, end_s, what.selection);
}

void Scheduler::denied(JobId grant, const Error& error) { refuse(grant, error); }

void Scheduler::stuck(JobId grant, const Error&) { stuck_.push_back(grant); }

}  // namespace copse::plan
