// SPDX-License-Identifier: Apache-2.0
//
// First come first served, and EASY.
#include <algorithm>
#include <cassert>

#include "plan/scheduler.hpp"

namespace copse::plan {

namespace {

bool not_now(const Error& error) {
  return error.code == ErrorCode::insufficient || error.code == ErrorCode::infeasible;
}

}  // namespace

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
  const bool by_numbers = engine_.visits() == 0 && jobs_.requests[job.request].request.hres.empty();
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

}  // namespace copse::plan
