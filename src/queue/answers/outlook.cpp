// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/outlook.hpp"

#include <algorithm>
#include <utility>

namespace copse::queue {

bool WaitingOrder::read(WorkBudget& budget) {
  for (; queue_number_ < queues_.size(); ++queue_number_, last_.reset()) {
    const auto& order = queues_[queue_number_].order();
    auto at = last_ ? order.upper_bound(*last_) : order.begin();
    while (at != order.end()) {
      all_.push_back({at->position, at->slot, static_cast<std::uint16_t>(queue_number_)});
      last_ = *at++;
      if (budget.spend()) return false;
    }
  }
  return true;
}

Outlook::Outlook(const JobQueue& queue)
    : queue_(queue), sequence_(queue.sequence()), reading_(queue.p_.queues) {}

bool Outlook::work(WorkBudget& budget) {
  if (reading_) {
    if (!reading_->read(budget)) return false;
    read_state(queue_);
    if (budget.spend()) return false;
  }
  return plan_all(budget) && move_earlier(budget) && simulate(budget);
}

bool Outlook::plan_comes_true(const QueueParts& p) const {
  if (!p.promises.counting() || p.priorities.rule().moves() || p.restorations.any()) return false;
  const bool one = p.queues.size() == 1;
  return std::ranges::all_of(waiting_, [one](const Waiting& waiting) {
    return waiting.stopped || waiting.promised_s || (one && waiting.blocked_by_first);
  });
}

// A pinned job takes a match, as it does in the plan: so the simulation costs as much again.
QueueSimulation::Limits Outlook::simulation_limits(const QueueParts& p) const {
  const std::size_t jobs = std::min(p.jobs.size(), kStartsMax);
  return {.starts = kStartsMax,
          .events = 2 * jobs + kEventsMore,
          .jobs = p.promises.counting() ? kCountedMax : waiting_.size() + kPinnedMore};
}

bool Outlook::simulate(WorkBudget& budget) {
  if (simulation_ == nullptr) return true;
  if (!simulation_->work(budget)) return false;
  const bool complete = simulation_->complete();
  for (Entry& entry : entries_) {
    const auto start = simulation_->starts().find(entry.job);
    if (start != simulation_->starts().end()) {
      entry.start_s = start->second;
      entry.unbooked.reset();
    } else if (complete) {
      entry.start_s.reset();
    } else {
      entry.estimated = entry.start_s.has_value();
    }
  }
  simulation_.reset();
  return true;
}

// REQUIRES that the queue does not change meanwhile.
void Outlook::read_state(const JobQueue& queue) {
  const QueueParts& p = queue.p_;
  now_s_ = p.engine.now();
  horizon_s_ = p.engine.options().horizon;
  unbooked_.emplace(queue.reservations());
  waiting_.reserve(reading_->all().size());
  std::size_t ahead = 0, queue_number = 0;
  for (const WaitingOrder::Read& read : reading_->all()) {
    const QueuedJob* job = p.jobs.has(read.slot) ? &p.jobs[read.slot] : nullptr;
    const bool unchanged = job != nullptr && job->waiting_queue == read.waiting_queue &&
                           job->position == read.position &&
                           (job->state == JobState::waiting || job->state == JobState::promised) &&
                           job->reservation == 0;
    if (!unchanged) continue;
    if (std::exchange(queue_number, read.waiting_queue) != read.waiting_queue) ahead = 0;
    const WaitingQueue& waiting_queue = p.queues[read.waiting_queue];
    Waiting made{job->id,
                 job->kind,
                 ahead++,
                 p.kinds[job->kind].counted.has_value(),
                 job->duration_s,
                 {},
                 0,
                 {},
                 waiting_queue.blocked_by_first(),
                 waiting_queue.stopped(),
                 waiting_queue.depth()};
    if (job->state == JobState::promised) made.promised_s = job->start_s;
    if (job->state == JobState::promised) made.end_s = job->end_s;
    if (!p.promises.counting()) {
      prepared_.try_emplace(job->kind);
    } else if (const NodeCounts::Need* need = p.promises.find_need(job->kind)) {
      needs_.try_emplace(job->kind, *need);
    }
    waiting_.push_back(std::move(made));
  }
  reading_.reset();
  if (!plan_comes_true(p)) {
    simulation_ = std::make_unique<QueueSimulation>(queue);
    simulation_->stop_after(simulation_limits(p));
  }
  indices_.reserve(waiting_.size());
  entries_.reserve(waiting_.size());
  if (p.promises.counting()) {
    counts_.emplace(p.promises.counts().unused());
    p.jobs.each([&](const QueuedJob& job) {
      if (job.state != JobState::running && job.state != JobState::promised) return;
      if (job.end_s > now_s_) counts_->add(std::max(job.start_s, now_s_), job.end_s, job.counted);
    });
    for (const NodeCounts::Start& span : p.promises.outside_use()) {
      if (span.end_s > now_s_) counts_->add(now_s_, span.end_s, span.use);
    }
    return;
  }
  engine_ = p.engine.clone();
  for (auto& [kind, request] : prepared_) {
    // It was compiled for the same machine before.
    if (auto made = engine_->prepare(p.kinds.request(kind))) request = std::move(*made);
  }
  later_ = p.promises.counts_without_jobs();
  if (later_) note_running(p);
}

// Notes running jobs that can be counted, and when those that cannot will end. A job on hold has no
// end.
void Outlook::note_running(const QueueParts& p) {
  counted_from_s_ = now_s_;
  nodes_ = p.kinds.shared_nodes();
  bool ends = true;
  p.jobs.each([&](const QueuedJob& job) {
    const auto& counted = p.kinds[job.kind].counted;
    if (counted && !needs_.contains(job.kind)) {
      if (auto need = later_->need(*counted)) needs_.emplace(job.kind, std::move(*need));
    }
    ends = ends && (job.state != JobState::on_hold || counted);
    if (job.state != JobState::running) return;
    if (!counted) counted_from_s_ = std::max(counted_from_s_, job.end_s);
    const Grant* grant = counted ? engine_->grant(job.id) : nullptr;
    if (grant == nullptr) return;
    running_.push_back({job.end_s, nodes_of(job.id), grant->charges.layers});
  });
  const OutsideGrants& outside = p.promises.outside();
  for (auto& [end_s, nodes] : outside.nodes_but(now_s_, outside.to_come(*engine_)))
    running_.push_back({end_s, std::move(nodes), {}});
  if (!ends) later_.reset();
}

std::vector<std::uint32_t> Outlook::nodes_of(JobId job) const {
  const Grant* grant = engine_->grant(job);
  return grant == nullptr ? std::vector<std::uint32_t>()
                          : nodes_->of(engine_->graph(), grant->selection);
}

bool Outlook::plan_all(WorkBudget& budget) {
  while (next_ < waiting_.size()) {
    Waiting& waiting = waiting_[next_++];
    if (waiting.ahead == 0) {
      not_before_s_ = now_s_;
      last_starts_ = {};
    }
    Entry entry{waiting.job, waiting.ahead, waiting.promised_s};
    find_start(waiting, entry);
    note_seen(waiting, entry);
    if (waiting.blocked_by_first) not_before_s_ = entry.start_s.value_or(horizon_s_);
    if (!waiting.is_counted) {
      if (!entry.start_s) later_.reset();
      counted_from_s_ = std::max(counted_from_s_, waiting.end_s);
    }
    indices_.emplace(waiting.job, entries_.size());
    entries_.push_back(entry);
    if (next_ == waiting_.size() && later_) begin_counting();
    if (next_ < waiting_.size() && budget.spend()) return false;
  }
  return true;
}

bool Outlook::free_gradually(WorkBudget& budget) {
  while (!entries_.empty()) {
    const JobId job = entries_.back().job;
    entries_.pop_back();
    indices_.erase(job);
    // The last one first, so that everything planned before it stays valid.
    if (engine_ != nullptr && !waiting_[entries_.size()].promised_s) {
      [[maybe_unused]] const auto gone = engine_->cancel(job);
    }
    if (budget.spend()) return false;
  }
  return true;
}

void Outlook::find_start(Waiting& waiting, Entry& entry) {
  const bool hidden = last_starts_.size() >= waiting.depth;
  const std::int64_t from_s = hidden ? std::max(not_before_s_, last_starts_.top()) : not_before_s_;
  if (!entry.start_s && !waiting.stopped && from_s < horizon_s_) {
    entry.start_s = plan_start(waiting, from_s);
  }
  if (entry.start_s && unbooked_->any() && engine_ != nullptr) pass_later_times(waiting, entry);
}

// Searches a start after each conflicting occurrence that is not booked yet. If that fails several
// times, the first conflict is reported.
void Outlook::pass_later_times(Waiting& waiting, Entry& entry) {
  constexpr std::size_t kTriesMax = 8;
  for (std::size_t tries = 0; tries < kTriesMax; ++tries) {
    const Grant* grant = engine_->grant(waiting.job);
    const auto conflicting =
        grant == nullptr ? std::nullopt : unbooked_->conflict(engine_->graph(), *grant);
    if (!conflicting) entry.unbooked.reset();
    if (!conflicting) return;
    if (!entry.unbooked) entry.unbooked = conflicting;
    if (waiting.stopped || conflicting->until_s >= horizon_s_) break;
    [[maybe_unused]] const auto gone = engine_->cancel(waiting.job);
    entry.start_s = plan_start(waiting, conflicting->until_s);
    if (!entry.start_s) break;
  }
  entry.start_s.reset();
}

// Jobs that fit at no time are skipped, and do not count for the depth.
void Outlook::note_seen(const Waiting& waiting, const Entry& entry) {
  if (waiting.depth == SIZE_MAX || (!entry.start_s && !entry.unbooked)) return;
  last_starts_.push(entry.start_s.value_or(horizon_s_));
  if (last_starts_.size() > waiting.depth) last_starts_.pop();
}

const Outlook::Entry* Outlook::find(JobId job) const {
  const auto at = indices_.find(job);
  return at == indices_.end() ? nullptr : &entries_[at->second];
}

std::int64_t Outlook::requested_duration(const Waiting& waiting) const {
  return std::min(waiting.duration_s, horizon_s_ - now_s_);
}

std::optional<std::int64_t> Outlook::plan_start(Waiting& waiting, std::int64_t from_s) {
  if (counts_) return plan_counted(waiting, from_s);
  PreparedRequest& request = prepared_.at(waiting.kind);
  request.set_duration(requested_duration(waiting));
  const auto match = engine_->match_between(request, waiting.job, from_s, horizon_s_);
  if (!match) return std::nullopt;
  waiting.end_s = (*match)->end;
  return (*match)->start;
}

std::optional<std::int64_t> Outlook::plan_counted(Waiting& waiting, std::int64_t from_s) {
  const auto need = needs_.find(waiting.kind);
  if (need == needs_.end()) return std::nullopt;  // it has just arrived
  auto at =
      counts_->earliest(from_s, horizon_s_, requested_duration(waiting), horizon_s_, need->second);
  if (!at) return std::nullopt;
  counts_->add(at->start_s, at->end_s, at->use);
  waiting.end_s = at->end_s;
  waiting.use = std::move(at->use);
  return at->start_s;
}

// --- Promises that become counted later

// Jobs that have started by then keep their nodes; the others may start earlier.
void Outlook::begin_counting() {
  if (counted_from_s_ >= horizon_s_) return;
  counts_ = std::move(later_);
  later_.reset();
  for (const Running& running : running_) {
    if (running.end_s <= counted_from_s_) continue;
    counts_->add(now_s_, running.end_s,
                 running_use(counts_->groups(), running.nodes, running.charges));
  }
  for (std::size_t n = 0; n < waiting_.size(); ++n) {
    Waiting& waiting = waiting_[n];
    if (!entries_[n].start_s || !waiting.is_counted) continue;
    waiting.use = promised_use(counts_->groups(), nodes_of(waiting.job), needs_.at(waiting.kind));
    counts_->add(*entries_[n].start_s, waiting.end_s, waiting.use);
  }
  rounds_left_ = Compression::kRoundsMax;
  next_moved_ = 0;
}

bool Outlook::move_earlier(WorkBudget& budget) {
  while (rounds_left_ > 0) {
    while (next_moved_ < waiting_.size()) {
      const std::size_t n = next_moved_++;
      moved_ = move(waiting_[n], entries_[n]) || moved_;
      if (budget.spend()) return false;
    }
    next_moved_ = 0;
    rounds_left_ = std::exchange(moved_, false) ? rounds_left_ - 1 : 0;
  }
  return true;
}

// As Promises::move_earlier. A queue without overtaking keeps its order.
bool Outlook::move(Waiting& waiting, Entry& entry) {
  if (!entry.start_s || *entry.start_s <= counted_from_s_ || waiting.blocked_by_first) return false;
  if (waiting.depth != SIZE_MAX) return false;  // the queue examines it no earlier
  const auto need = needs_.find(waiting.kind);
  if (need == needs_.end()) return false;
  const NodeCounts::Start was{*entry.start_s, waiting.end_s, waiting.use};
  auto to = counts_->move_earlier(counted_from_s_, was, requested_duration(waiting), horizon_s_,
                                  need->second);
  if (!to) return false;
  entry.start_s = to->start_s;
  waiting.end_s = to->end_s;
  waiting.use = std::move(to->use);
  return true;
}

}  // namespace copse::queue
