// SPDX-License-Identifier: Apache-2.0
#include "plan/scheduler.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace copse::plan {

const char* word(Discipline discipline) {
  switch (discipline) {
    case Discipline::fcfs: return "fcfs";
    case Discipline::easy: return "easy";
    case Discipline::conservative: return "conservative";
  }
  return "easy";
}

std::optional<Discipline> parse_discipline(std::string_view text) {
  for (Discipline d : {Discipline::fcfs, Discipline::easy, Discipline::conservative}) {
    if (text == word(d)) return d;
  }
  return std::nullopt;
}

Result<void> schedule(Engine& engine, const Jobs& jobs, Discipline discipline, const Watch& watch) {
  return Scheduler(engine, jobs, discipline, watch).run();
}

Scheduler::Scheduler(Engine& engine, const Jobs& jobs, Discipline discipline, const Watch& watch)
    : engine_(engine),
      jobs_(jobs),
      discipline_(discipline),
      watch_(watch),
      by_rank_(jobs.jobs.size()),
      waiting_(static_cast<std::uint32_t>(jobs.jobs.size()), jobs.requests.size()),
      prepared_(jobs.requests.size()),
      failed_(jobs.requests.size(), INT64_MAX),
      nothing_(jobs.requests.size()),
      tried_(discipline == Discipline::conservative ? jobs.jobs.size() : 0) {
  std::iota(by_rank_.begin(), by_rank_.end(), 0U);
  std::ranges::stable_sort(by_rank_, [&](std::uint32_t a, std::uint32_t b) {
    const Job &x = jobs.jobs[a], &y = jobs.jobs[b];
    return x.priority != y.priority ? x.priority > y.priority : x.submit_s < y.submit_s;
  });
  submits_.resize(by_rank_.size());
  std::iota(submits_.begin(), submits_.end(), 0U);
  std::ranges::sort(submits_, [&](std::uint32_t a, std::uint32_t b) {
    const Job &x = job_at(a), &y = job_at(b);
    return x.submit_s != y.submit_s ? x.submit_s < y.submit_s : by_rank_[a] < by_rank_[b];
  });
  // What runs or is reserved already ends, too.
  for (JobId job : engine.jobs()) {
    first_grant_ = std::max(first_grant_, job + 1);
    const Grant* grant = engine.grant(job);
    if (grant->end < engine.options().horizon) ends_.push({grant->end, ends_made_++, kOther});
  }
}

// --- Events

std::optional<std::int64_t> Scheduler::next_time() const {
  std::optional<std::int64_t> out;
  const auto take = [&](std::int64_t time_s) { out = out ? std::min(*out, time_s) : time_s; };
  if (next_submit_ < submits_.size()) take(job_at(submits_[next_submit_]).submit_s);
  if (!ends_.empty()) take(ends_.top().time_s);
  if (!reserved_.empty()) take(reserved_.begin()->first);
  if (const auto change_s = next_layer_change()) take(*change_s);
  return out;
}

// When a reservation of a layer starts or ends that jobs may wait for. A job that has a reservation
// of its own waits for nothing.
std::optional<std::int64_t> Scheduler::next_layer_change() const {
  if (discipline_ == Discipline::conservative || waiting_.order().size() == 0) return {};
  const auto time_s = engine_.next_layer_change(engine_.now() + 1);
  return time_s && *time_s < engine_.options().horizon ? time_s : std::nullopt;
}

Result<void> Scheduler::run() {
  while (auto time_s = next_time()) {
    // Grants of others alone are no reason to go on.
    if (next_submit_ == submits_.size() && waiting_.order().size() == 0 && running_ == 0) break;
    time_s = std::max(*time_s, engine_.now());
    if (*time_s > engine_.now()) {
      freed_ = next_layer_change() == time_s;
      if (auto ok = engine_.advance(*time_s); !ok) return ok;
    }
    end_jobs();
    if (!given_back_.empty()) compress();
    submit_jobs();
    start_reserved();
    if (discipline_ == Discipline::fcfs) pass_fcfs();
    if (discipline_ == Discipline::easy) pass_easy();
    fresh_.clear();
    freed_ = false;
    if (watch_.moment) watch_.moment(*time_s, waiting_.order().size());
  }
  return {};
}

void Scheduler::end_jobs() {
  const std::int64_t now = engine_.now();
  while (!ends_.empty() && ends_.top().time_s <= now) {
    const End end = ends_.top();
    ends_.pop();
    freed_ = true;
    if (end.rank == kOther) continue;
    --running_;
    // Before its time: what it has left is given back. Else the engine took it when time moved.
    if (const Grant* grant = engine_.grant(grant_of(end.rank))) {
      if (discipline_ == Discipline::conservative) give_back(engine_.now(), grant->end);
      [[maybe_unused]] const auto cancelled = engine_.cancel(grant_of(end.rank));
      assert(cancelled);
    }
    if (watch_.ended) watch_.ended(by_rank_[end.rank], end.time_s);
  }
}

void Scheduler::submit_jobs() {
  while (next_submit_ < submits_.size() &&
         job_at(submits_[next_submit_]).submit_s <= engine_.now()) {
    const std::uint32_t rank = submits_[next_submit_++];
    if (!acceptable(rank)) continue;
    const Job& job = job_at(rank);
    waiting_.insert(rank, job.request, job.duration_s);
    if (discipline_ == Discipline::conservative) {
      reserve(rank);
    } else {
      fresh_.push_back(rank);
    }
  }
}

void Scheduler::start_reserved() {
  while (!reserved_.empty() && reserved_.begin()->first <= engine_.now()) {
    const std::uint32_t rank = reserved_.begin()->second;
    reserved_.erase(reserved_.begin());
    if (head_ == rank) head_ = RankSet::kNone;
    start(rank);
  }
}

// --- One job

PreparedRequest* Scheduler::prepared(std::uint32_t rank) {
  const Job& job = job_at(rank);
  PreparedRequest& request = *prepared_[job.request].request;
  request.set_duration(job.duration_s);
  return &request;
}

// Asked once for each request: the empty machine knows no durations.
bool Scheduler::acceptable(std::uint32_t rank) {
  const Job& job = job_at(rank);
  Prepared& known = prepared_[job.request];
  if (!known.asked) {
    known.asked = true;
    auto made = engine_.prepare(jobs_.requests[job.request].request);
    if (made) {
      made->set_duration(1);
      auto fits = engine_.match(Operation::satisfiability, *made, 0);
      if (fits) {
        known.request = std::move(*made);
      } else {
        known.why_not = std::move(fits.error());
      }
    } else {
      known.why_not = std::move(made.error());
    }
  }
  if (known.request) return true;
  if (watch_.refused) watch_.refused(by_rank_[rank], engine_.now(), known.why_not);
  return false;
}

void Scheduler::start(std::uint32_t rank) {
  const Grant& grant = *engine_.grant(grant_of(rank));
  const std::int64_t now = engine_.now();
  const std::int64_t end = std::min(grant.end, now + job_at(rank).length_s());
  ends_.push({end, ends_made_++, rank});
  ++running_;
  leave_queue(rank);
  if (watch_.started) watch_.started(by_rank_[rank], now, end, grant.selection);
}

void Scheduler::refuse(std::uint32_t rank, const Error& error) {
  leave_queue(rank);
  if (watch_.refused) watch_.refused(by_rank_[rank], engine_.now(), error);
}

Error Scheduler::never(const Error& error) {
  const bool not_now = error.code == ErrorCode::insufficient || error.code == ErrorCode::infeasible;
  if (!not_now) return error;
  return {ErrorCode::insufficient,
          "it fits at no time: what it needs is down, or in use without end",
          {}};
}

void Scheduler::leave_queue(std::uint32_t rank) { waiting_.erase(rank, job_at(rank).request); }

}  // namespace copse::plan
