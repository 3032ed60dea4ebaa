// SPDX-License-Identifier: Apache-2.0
//
// Conservative backfill, and what compression need not ask.
//
// When a job of fixed counts was last tried (or placed), it could not start before its reservation.
// If it can now, its new time overlaps a time that was given back since: by a job that ended early,
// or by a reservation that moved. So for each such [from, until) only starts in (from - duration,
// until) are asked for. What a job that stands behind it gives back in a pass counts for it in the
// next one.
//
// And what a request cannot do in a pass, its like cannot either: where a job could not start
// before a time, another one with the same request, for as long or longer, cannot, up to where the
// first one's view was blocked by the other's own reservation, or where something was given back
// since.
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

void Scheduler::give_back(std::int64_t from_s, std::int64_t until_s) {
  given_back_.push_back({from_s, until_s});
}

// Where the job may have an earlier start: intervals of times, ascending and apart, in chances_.
void Scheduler::find_chances(std::uint32_t rank, std::int64_t start_s) {
  const Job& job = job_at(rank);
  const std::int64_t now = engine_.now();
  chances_.clear();
  if (!jobs_.requests[job.request].fixed) {
    chances_.push_back({now, start_s});
    return;
  }
  const auto add = [&](const Interval& freed) {
    const Interval chance{std::max(now, freed.from_s - job.duration_s + 1),
                          std::min(freed.until_s, start_s)};
    if (chance.from_s < chance.until_s) chances_.push_back(chance);
  };
  const Tried& tried = tried_[rank];
  if (tried.pass + 1 == pass_) {
    for (std::size_t i = tried.place; i < left_over_.size(); ++i) add(left_over_[i]);
  }
  for (const Interval& freed : given_back_) add(freed);
  if (chances_.size() < 2) return;
  std::ranges::sort(chances_, {}, &Interval::from_s);
  std::size_t last = 0;
  for (std::size_t i = 1; i < chances_.size(); ++i) {
    if (chances_[i].from_s <= chances_[last].until_s) {
      chances_[last].until_s = std::max(chances_[last].until_s, chances_[i].until_s);
    } else {
      chances_[++last] = chances_[i];
    }
  }
  chances_.resize(last + 1);
}

// A time before which the job cannot start, as others of its kind in this pass show.
std::int64_t Scheduler::none_before(std::uint32_t rank, std::int64_t start_s) const {
  const Job& job = job_at(rank);
  std::int64_t out = engine_.now();
  if (!jobs_.requests[job.request].fixed) return out;
  for (const Nothing& nothing : nothing_[job.request]) {
    if (nothing.pass != pass_ || nothing.duration_s > job.duration_s) continue;
    std::int64_t before = std::min(nothing.before_s, start_s - nothing.duration_s + 1);
    for (std::size_t i = nothing.place; i < given_back_.size() && before > out; ++i) {
      before = std::min(before, given_back_[i].from_s - nothing.duration_s + 1);
    }
    out = std::max(out, before);
  }
  return out;
}

// Moves a waiting job to its earliest start, if that is earlier.
void Scheduler::hasten(std::uint32_t rank) {
  const Grant& grant = *engine_.grant(grant_of(rank));
  const std::int64_t start_s = grant.start, end_s = grant.end;
  if (start_s <= engine_.now()) return;
  find_chances(rank, start_s);
  const std::int64_t from = chances_.empty() ? start_s : none_before(rank, start_s);
  std::int64_t now_starts_s = start_s;
  for (const Interval& chance : chances_) {
    const auto moved = engine_.move_earlier(grant_of(rank), *prepared(rank),
                                            std::max(from, chance.from_s), chance.until_s);
    if (!moved || !*moved) continue;
    now_starts_s = engine_.grant(grant_of(rank))->start;
    reserved_.erase({start_s, rank});
    reserved_.emplace(now_starts_s, rank);
    give_back(start_s, end_s);
    break;
  }
  const Job& job = job_at(rank);
  auto& known = nothing_[job.request];
  known[nothings_++ % known.size()] = {pass_, given_back_.size(), job.duration_s, now_starts_s};
}

void Scheduler::compress() {
  for (std::uint32_t rank = waiting_.order().next(0); rank != RankSet::kNone;
       rank = waiting_.order().next(rank + 1)) {
    hasten(rank);
    tried_[rank] = {pass_, static_cast<std::uint32_t>(given_back_.size())};
  }
  // From here on it is the last pass.
  left_over_.swap(given_back_);
  given_back_.clear();
  ++pass_;
}

}  // namespace copse::plan
