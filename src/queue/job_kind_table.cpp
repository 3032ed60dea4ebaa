// SPDX-License-Identifier: Apache-2.0
#include "queue/job_kind_table.hpp"

#include <algorithm>
#include <cassert>

#include "queue/refusal.hpp"
#include "request/constraint.hpp"
#include "request/request_checks.hpp"

namespace copse::queue {

namespace {

bool fixed_counts(const std::vector<Resource>& resources) {  // bounded by the parsers' depth
  return std::ranges::all_of(
      resources, [](const Resource& r) { return !r.count.moldable() && fixed_counts(r.with); });
}

std::string key_in(std::uint16_t queue, std::string_view key) {
  std::string out(1, static_cast<char>(queue & 0xff));
  out += static_cast<char>(queue >> 8);
  return out += key;
}

}  // namespace

JobKindTable::JobKindTable(Engine& engine)
    : engine_(engine), nodes_(std::make_shared<CountedNodes>(engine.graph())) {}

JobKindTable::JobKindTable(const JobKindTable& other, Engine& clone)
    : engine_(clone),
      queues_(other.queues_),
      nodes_(other.nodes_),
      sets_(other.sets_),
      kinds_(other.kinds_),
      requests_(other.requests_),
      free_(other.free_),
      failed_(other.failed_),
      unused_(other.unused_),
      by_key_(other.by_key_),
      waited_for_(other.waited_for_) {
  for (std::size_t n = 0; n < kinds_.size(); ++n) {
    if (!kinds_[n].request) continue;
    auto again = engine_.prepare(requests_[n]);
    assert(again);  // it could be, for the same machine
    if (again) kinds_[n].request = std::move(*again);
  }
}

void JobKindTable::add_queue(std::string name, std::uint16_t waiting_queue, Constraint constraint) {
  queues_.push_back({std::move(name), waiting_queue, std::move(constraint)});
  if (waited_for_.size() <= waiting_queue) waited_for_.resize(waiting_queue + 1U);
}

std::uint32_t JobKindTable::find(std::string_view key, std::uint16_t queue,
                                 const Request& request) {
  std::string full = key_in(queue, key);
  if (const auto known = by_key_.find(full); known != by_key_.end()) return known->second;
  std::uint32_t number = static_cast<std::uint32_t>(kinds_.size());
  if (free_.empty()) {
    kinds_.emplace_back();
    requests_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
    kinds_[number] = JobKind();
  }
  requests_[number] = request;
  requests_[number].constraint = both(request.constraint, queues_[queue].constraint);
  JobKind& kind = kinds_[number];
  kind.waiting_queue = queues_[queue].waiting_queue;
  kind.own_constraint = request.constraint;
  kind.fixed = fixed_counts(request.resources) && engine_.options().policy.visit == nullptr;
  kind.nodes_least = least_units(request.resources, "node");
  kind.charges = !requests_[number].hres.empty() || engine_.graph().has_further_edges();
  kind.windowed = !requests_[number].hres.empty() || !requests_[number].constraint.empty();
  prepare(kind, requests_[number]);
  kind.key = full;
  by_key_.emplace(std::move(full), number);
  return number;
}

// On the empty machine the duration does not matter.
void JobKindTable::prepare(JobKind& kind, Request& request) {
  kind.request.reset();
  kind.counted.reset();
  if (auto wrong = fit_units(engine_.graph(), request)) {
    kind.why_not = std::move(*wrong);
    return;
  }
  auto made = engine_.prepare(request);
  if (!made) {
    kind.why_not = refusal(engine_, request, made.error());
    return;
  }
  made->set_duration(1);
  const auto fits = engine_.match(Operation::satisfiability, *made, 0);
  if (!fits) {
    kind.why_not = refusal(engine_, *made, fits.error());
    return;
  }
  if (takes_nothing(request, engine_.options().policy.whole_nodes)) {
    kind.why_not = nothing_to_take(engine_.now());
    return;
  }
  kind.request = std::move(*made);
  count(kind, request);
}

void JobKindTable::count(JobKind& kind, const Request& request) {
  kind.counted = counted_request(request, engine_, *nodes_);
  if (!kind.counted) return;
  std::shared_ptr<const NodeSet>& among = kind.counted->among;
  std::erase_if(sets_, [](const auto& set) { return set.use_count() == 1; });
  const auto same = std::ranges::find_if(sets_, [&](const auto& set) { return *set == *among; });
  if (same != sets_.end()) {
    among = *same;
  } else if (sets_.size() < kSetsMax) {
    sets_.push_back(among);
  }
}

PreparedRequest& JobKindTable::prepared(std::uint32_t number, std::int64_t duration_s) {
  assert(kinds_[number].request);
  PreparedRequest& request = *kinds_[number].request;
  request.set_duration(duration_s);
  return request;
}

Waiters reordered(const Waiters& waiters, const JobTable& jobs) {
  std::vector<Waiter> again(waiters.begin(), waiters.end());
  for (Waiter& waiter : again) waiter.position = jobs[waiter.slot].position;
  std::ranges::sort(again, {}, &Waiter::position);
  return Waiters(again);
}

void JobKindTable::insert(std::uint32_t number, const Waiter& waiter) {
  auto& list = kinds_[number].waiting;
  if (list.empty()) waited_for_[kinds_[number].waiting_queue].push_back(number);
  list.insert(waiter);
  ++kinds_[number].durations[waiter.duration_s];
}

void JobKindTable::erase(std::uint32_t number, const QueuePosition& position) {
  auto& list = kinds_[number].waiting;
  const auto at = list.find({position, {}, {}});
  assert(at != list.end());
  auto& durations = kinds_[number].durations;
  const auto duration = durations.find(at->duration_s);
  assert(duration != durations.end());
  if (--duration->second == 0) durations.erase(duration);
  list.erase({position, {}, {}});
  if (!list.empty()) return;
  auto& numbers = waited_for_[kinds_[number].waiting_queue];
  const auto own = std::ranges::find(numbers, number);
  *own = numbers.back();
  numbers.pop_back();
}

Request JobKindTable::request_in(std::uint32_t number, std::uint16_t queue) const {
  Request out = requests_[number];
  out.constraint = both(kinds_[number].own_constraint, queues_[queue].constraint);
  return out;
}

void JobKindTable::reorder(std::uint16_t waiting_queue, const JobTable& jobs) {
  for (const std::uint32_t number : waited_for_[waiting_queue]) {
    kinds_[number].waiting = reordered(kinds_[number].waiting, jobs);
  }
}

void JobKindTable::forget_failures() {
  for (const std::uint32_t number : failed_) kinds_[number].failed_s = INT64_MAX;
  failed_.clear();
}

void JobKindTable::note_failure(std::uint32_t number, std::int64_t duration_s) {
  std::int64_t& least = kinds_[number].failed_s;
  if (least == INT64_MAX) failed_.push_back(number);
  least = std::min(least, duration_s);
}

void JobKindTable::release(std::uint32_t number) {
  assert(kinds_[number].jobs == 0);
  unused_.push_back(number);
  if (unused_.size() <= 2 * kUnusedMax) return;
  // Some may have jobs again, or be listed twice; the oldest half of the others is removed.
  std::vector<std::uint32_t> kept;
  std::size_t over = unused_.size() - kUnusedMax;
  std::ranges::sort(failed_);
  for (const std::uint32_t n : unused_) {
    JobKind& kind = kinds_[n];
    if (kind.jobs > 0 || kind.key.empty()) continue;
    if (over == 0 || std::ranges::binary_search(failed_, n)) {
      kept.push_back(n);
      continue;
    }
    --over;
    by_key_.erase(kind.key);
    kind = JobKind();
    requests_[n] = Request();
    free_.push_back(n);
  }
  unused_ = std::move(kept);
}

void JobKindTable::prepare_again() {
  nodes_ = std::make_shared<CountedNodes>(engine_.graph());
  for (std::uint32_t n = 0; n < kinds_.size(); ++n) {
    if (!kinds_[n].key.empty()) prepare(kinds_[n], requests_[n]);
  }
}

void JobKindTable::count_again() {
  for (std::uint32_t n = 0; n < kinds_.size(); ++n) {
    if (kinds_[n].request) count(kinds_[n], requests_[n]);
  }
}

void JobKindTable::recheck_refused() {
  for (std::uint32_t n = 0; n < kinds_.size(); ++n) {
    if (!kinds_[n].key.empty() && !kinds_[n].request) prepare(kinds_[n], requests_[n]);
  }
}

}  // namespace copse::queue
