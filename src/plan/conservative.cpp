// SPDX-License-Identifier: Apache-2.0
//
// Conservative backfill.
//
// Which jobs compression has to look at. When a job was last tried (or placed), it could not start
// before its reservation. If it can now, then its new time overlaps a time that was given back
// since: by a job that ended early, or by a reservation that moved. So its new start lies before
// the end of the latest of these, chance_until(); the engine is asked for starts before that only.
// What a job that stands behind it gives back in a pass counts for it in the next one.
#include <algorithm>

#include "plan/scheduler.hpp"

namespace copse::plan {

void Scheduler::reserve(std::uint32_t rank) {
  auto match = engine_.match(Operation::allocate_orelse_reserve, *prepared(rank), grant_of(rank));
  if (!match) {
    refuse(rank, never(match.error()));
    return;
  }
  reserved_.emplace((*match)->start, rank);
  tried_[rank] = {pass_, static_cast<std::uint32_t>(given_back_.size())};
}

void Scheduler::give_back(std::int64_t until_s) {
  given_back_.push_back(until_s);
  given_back_until_ = std::max(given_back_until_, until_s);
}

// The end of the latest time that was given back since the job was tried.
std::int64_t Scheduler::chance_until(std::uint32_t rank) const {
  const Tried& tried = tried_[rank];
  std::int64_t until = INT64_MIN;
  if (tried.pass + 1 == pass_ && tried.place < left_over_.size()) until = left_over_[tried.place];
  return std::max(until, given_back_until_);
}

// The earliest start that is not known to be none: where a job with the same request, for as long
// or shorter, found nothing before a time in this pass, and nothing was given back since, this one
// finds nothing before that time either, unless its own reservation was in the other's way there.
std::int64_t Scheduler::chance_from(std::uint32_t rank, std::int64_t start_s) const {
  const Job& job = job_at(rank);
  const Nothing& nothing = nothing_[job.request];
  const bool holds = nothing.pass == pass_ && nothing.given_back == given_back_.size() &&
                     job.duration_s >= nothing.duration_s;
  if (!holds) return engine_.now();
  return std::max(engine_.now(), std::min(nothing.before_s, start_s - nothing.duration_s + 1));
}

// Moves a waiting job to an earlier start before `before`, if there is one.
void Scheduler::hasten(std::uint32_t rank, std::int64_t before) {
  const Job& job = job_at(rank);
  const Grant& grant = *engine_.grant(grant_of(rank));
  const std::int64_t start_s = grant.start, end_s = grant.end;
  before = std::min(before, start_s);
  const std::int64_t from = chance_from(rank, start_s);
  if (from >= before) return;
  const auto moved = engine_.move_earlier(grant_of(rank), *prepared(rank), from, before);
  if (moved && *moved) {
    reserved_.erase({start_s, rank});
    reserved_.emplace(engine_.grant(grant_of(rank))->start, rank);
    give_back(end_s);
    return;
  }
  if (!jobs_.requests[job.request].fixed) return;
  Nothing& nothing = nothing_[job.request];
  const bool older = nothing.pass != pass_ || nothing.given_back != given_back_.size();
  if (older || job.duration_s <= nothing.duration_s) {
    nothing = {pass_, given_back_.size(), job.duration_s, before};
  }
}

void Scheduler::compress() {
  const std::int64_t now = engine_.now();
  for (std::uint32_t rank = waiting_.order().next(0); rank != RankSet::kNone;
       rank = waiting_.order().next(rank + 1)) {
    const std::int64_t before = chance_until(rank);
    if (before > now) hasten(rank, before);
    tried_[rank] = {pass_, static_cast<std::uint32_t>(given_back_.size())};
  }
  // From here on it is the last pass.
  for (std::size_t i = given_back_.size(); i-- > 1;) {
    given_back_[i - 1] = std::max(given_back_[i - 1], given_back_[i]);
  }
  left_over_.swap(given_back_);
  given_back_.clear();
  given_back_until_ = INT64_MIN;
  ++pass_;
}

}  // namespace copse::plan
