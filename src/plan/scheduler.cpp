// SPDX-License-Identifier: Apache-2.0
#include "plan/scheduler.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "plan/refusal.hpp"

namespace copse::plan {

namespace {

bool not_now(const Error& error) {
  return error.code == ErrorCode::insufficient || error.code == ErrorCode::infeasible;
}

}  // namespace

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
      failed_(jobs.requests.size(), INT64_MAX) {
  if (discipline == Discipline::conservative) chances_.emplace(jobs);
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
    if (chances_ && chances_->any()) compress();
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
      if (chances_) chances_->give_back({engine_.now(), grant->end});
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
    if (chances_) {
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
  assert(prepared_[job.request].request);
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
        known.why_not = refusal(engine_, *made, fits.error());
      }
    } else {
      known.why_not = refusal(engine_, jobs_.requests[job.request].request, made.error());
    }
  }
  if (known.request) return true;
  if (watch_.refused) watch_.refused(by_rank_[rank], engine_.now(), known.why_not);
  return false;
}

void Scheduler::start(std::uint32_t rank) {
  assert(engine_.grant(grant_of(rank)) != nullptr);
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
  if (!not_now(error)) return error;
  return {ErrorCode::insufficient,
          "it fits at no time: what it needs is down, or in use without end",
          {}};
}

void Scheduler::leave_queue(std::uint32_t rank) { waiting_.erase(rank, job_at(rank).request); }

// --- First come first served, and EASY

void Scheduler::pass_fcfs() {
  for (;;) {
    const std::uint32_t head = waiting_.order().next(0);
    if (head == RankSet::kNone || (head == blocked_ && !freed_)) return;
    auto match = engine_.match(Operation::allocate, *prepared(head), grant_of(head));
    if (match) {
      start(head);
      continue;
    }
    if (not_now(match.error()) && (!ends_.empty() || next_layer_change())) {
      blocked_ = head;
      return;
    }
    refuse(head, never(match.error()));
  }
}

void Scheduler::forget_failures() {
  for (std::uint32_t request : failures_) failed_[request] = INT64_MAX;
  failures_.clear();
}

void Scheduler::pass_easy() {
  const std::uint32_t first = waiting_.order().next(0);
  if (first == RankSet::kNone) return;
  if (head_ != RankSet::kNone && head_ != first) {  // what it had is given back
    [[maybe_unused]] const auto cancelled = engine_.cancel(grant_of(head_));
    assert(cancelled);
    reserved_.clear();
    head_ = RankSet::kNone;
    freed_ = true;
  }
  if (head_ != RankSet::kNone && freed_) hasten_head();
  const bool all = freed_ || head_ == RankSet::kNone;
  if (freed_) forget_failures();
  while (head_ == RankSet::kNone && waiting_.order().size() > 0) {
    if (!settle_head()) break;
  }
  if (head_ == RankSet::kNone) return;
  if (all) {
    backfill_all();
  } else {
    std::ranges::sort(fresh_);
    for (std::uint32_t rank : fresh_) backfill(rank);
  }
}

// The head's earliest start is found again; it may be now.
void Scheduler::hasten_head() {
  const auto moved =
      engine_.move_earlier(grant_of(head_), *prepared(head_), engine_.now(), INT64_MAX);
  if (!moved || !*moved) return;
  reserved_.clear();
  const std::int64_t start_s = engine_.grant(grant_of(head_))->start;
  if (start_s > engine_.now()) {
    reserved_.emplace(start_s, head_);
    return;
  }
  const std::uint32_t rank = head_;
  head_ = RankSet::kNone;
  start(rank);
}

// Starts the first job of the queue, reserves for it or refuses it. False if it was reserved for.
bool Scheduler::settle_head() {
  const std::uint32_t rank = waiting_.order().next(0);
  auto match = engine_.match(Operation::allocate_orelse_reserve, *prepared(rank), grant_of(rank));
  if (!match) {
    refuse(rank, never(match.error()));
    return true;
  }
  if ((*match)->start <= engine_.now()) {
    start(rank);
    return true;
  }
  head_ = rank;
  reserved_.emplace((*match)->start, rank);
  return false;
}

// Whether the job started now. What failed is remembered; if it failed by the numbers of what is
// free alone, for every duration.
bool Scheduler::try_now(std::uint32_t rank, PreparedRequest& request) {
  auto match = engine_.match(Operation::allocate, request, grant_of(rank));
  if (match) {
    start(rank);
    return true;
  }
  const Job& job = job_at(rank);
  if (!not_now(match.error())) {
    refuse(rank, match.error());
    return true;
  }
  if (!jobs_.requests[job.request].fixed) return false;
  std::int64_t& least = failed_[job.request];
  if (least == INT64_MAX) failures_.push_back(job.request);
  // What layers have left depends on the window, even where no pool had to be looked at.
  const bool by_numbers =
      match.error().visits == 0 && jobs_.requests[job.request].request.hres.empty();
  least = by_numbers ? 0 : std::min(least, job.duration_s);
  return false;
}

void Scheduler::backfill(std::uint32_t rank) {
  if (rank == head_ || waiting_.order().next(rank) != rank) return;  // it is settled already
  const Job& job = job_at(rank);
  if (job.duration_s < failed_[job.request]) (void)try_now(rank, *prepared(rank));
}

// All but the head, in the order of the queue: of each request the first that may still match
// stands in a heap by rank.
void Scheduler::backfill_all() {
  const auto later = [](const Candidate& a, const Candidate& b) { return a.rank > b.rank; };
  std::vector<Candidate>& heap = candidates_;
  heap.clear();
  const auto push = [&](std::uint32_t request, std::size_t from) {
    const auto& list = waiting_.of(request);
    const std::int64_t below = failed_[request];
    for (std::size_t i = from; i < list.size(); ++i) {
      if (list[i].duration_s >= below || list[i].rank == head_) continue;
      heap.push_back({list[i].rank, request, i});
      std::ranges::push_heap(heap, later);
      return;
    }
  };
  for (std::uint32_t request : waiting_.requests()) push(request, 0);
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, later);
    const Candidate at = heap.back();
    heap.pop_back();
    const bool gone = try_now(at.rank, *prepared(at.rank));
    push(at.request, gone ? at.place : at.place + 1);
  }
}

// --- Conservative backfill

void Scheduler::reserve(std::uint32_t rank) {
  auto match = engine_.match(Operation::allocate_orelse_reserve, *prepared(rank), grant_of(rank));
  if (!match) {
    refuse(rank, never(match.error()));
    return;
  }
  reserved_.emplace((*match)->start, rank);
  chances_->tried(rank);
}

// Moves a waiting job to its earliest start, if that is earlier.
void Scheduler::hasten(std::uint32_t rank) {
  const Grant& grant = *engine_.grant(grant_of(rank));
  const Job& job = job_at(rank);
  const std::int64_t now_s = engine_.now(), start_s = grant.start, end_s = grant.end;
  if (start_s <= now_s) return;
  const auto chances = chances_->of(rank, job, now_s, start_s);
  const std::int64_t from_s =
      chances.empty() ? start_s : chances_->none_before(job, now_s, start_s);
  std::int64_t now_starts_s = start_s;
  for (const StartChances::Interval& chance : chances) {
    const auto moved = engine_.move_earlier(grant_of(rank), *prepared(rank),
                                            std::max(from_s, chance.from_s), chance.until_s);
    if (!moved || !*moved) continue;
    now_starts_s = engine_.grant(grant_of(rank))->start;
    reserved_.erase({start_s, rank});
    reserved_.emplace(now_starts_s, rank);
    chances_->give_back({start_s, end_s});
    break;
  }
  chances_->settled(job, now_starts_s);
}

void Scheduler::compress() {
  for (std::uint32_t rank = waiting_.order().next(0); rank != RankSet::kNone;
       rank = waiting_.order().next(rank + 1)) {
    hasten(rank);
    chances_->tried(rank);
  }
  chances_->end_pass();
}

}  // namespace copse::plan
