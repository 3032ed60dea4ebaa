// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/answers.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

#include <fmt/format.h>

#include "base/saturating.hpp"

namespace copse::queue {

namespace {

constexpr std::size_t kQueuesTriedMax = 16;  // tried for one job

bool more_would_help(Reason::Cause cause) {
  using enum Reason::Cause;
  return cause == resources || cause == reservation || cause == promises || cause == constraint ||
         cause == layer || cause == down || cause == unreachable;
}

// A cause that another queue may avoid.
bool another_queue_would_help(Reason::Cause cause) {
  using enum Reason::Cause;
  return more_would_help(cause) || cause == stopped || cause == depth || cause == limit ||
         cause == in_front;
}

// The largest count of the first resource, smaller than requested, for which the request fits now.
std::optional<Help> fewer(const QueueView& view, const QueuedJob& job, Reasons& reasons) {
  Request request = view.kinds.request(job.kind);
  if (request.resources.empty()) return std::nullopt;
  Resource* top = &request.resources.front();
  if (top->is_slot() && top->count.min == 1 && top->with.size() == 1) top = &top->with.front();
  const std::string type =
      top->is_slot() && top->with.size() == 1 ? top->with.front().type : top->type;
  if (top->count.moldable() || top->count.min < 2) return std::nullopt;
  const auto fits = [&](std::int64_t count) {
    top->count = {.min = count, .max = count};
    const NodeCounts::Need* need =
        view.promises.counting() ? view.promises.find_need(job.kind) : nullptr;
    if (need != nullptr) {
      NodeCounts::Need less = *need;
      less.nodes = counted_nodes(request);
      return reasons.fits_counted(job.duration_s, less);
    }
    auto prepared = view.engine.prepare(request);
    return prepared && reasons.fits(*prepared, job.duration_s);
  };
  std::int64_t yes = 0, no = top->count.min;
  while (no - yes > 1) {
    const std::int64_t middle = yes + (no - yes) / 2;
    (fits(middle) ? yes : no) = middle;
  }
  if (yes == 0) return std::nullopt;
  return Help{.kind = Help::Kind::fewer, .amount = yes, .type = type};
}

// A queue whose first job does not block the others, and in which the request fits now.
std::optional<Help> other_queue(const QueueView& view, const QueuedJob& job, Reasons& reasons) {
  std::size_t tried = 0;
  for (const QueueTable::Entry& queue : view.queues.named()) {
    if (queue.waiting_queue == job.waiting_queue || queue.is_virtual || ++tried > kQueuesTriedMax)
      continue;
    const WaitingQueue& waiting_queue = view.queues[queue.waiting_queue];
    if (waiting_queue.stopped() || waiting_queue.blocked_by_first()) continue;
    auto prepared = view.engine.prepare(view.kinds.request_in(job.kind, queue.number));
    if (!prepared || !reasons.fits(*prepared, job.duration_s)) continue;
    return Help{.kind = Help::Kind::queue, .queue = queue.name};
  }
  return std::nullopt;
}

// The next start of an active reservation; none: no further occurrence is booked.
std::optional<std::int64_t> next_time_of(const QueueView& view, std::string_view name) {
  for (const ReservationView& reservation : view.reservations.table().view()) {
    if (reservation.name != name || reservation.times.size() < 2) continue;
    return reservation.times[1].from_s;
  }
  return std::nullopt;
}

// Jobs on hold, and jobs that wait for a reservation; by id.
std::vector<JobId> outside_queues(const QueueView& view) {
  std::vector<JobId> out;
  view.jobs.each([&](const QueuedJob& job) {
    const bool waits = job.state != JobState::running;
    if (waits && (job.state == JobState::on_hold || job.reservation != 0)) out.push_back(job.id);
  });
  std::ranges::sort(out);
  return out;
}

}  // namespace

void Answer::set_deadline(std::int64_t time_s) {
  deadline_s = time_s;
  for (std::optional<std::int64_t>* const start_s : {&promised_s, &expected_s, &earliest_s}) {
    if (*start_s && **start_s >= time_s) start_s->reset();
  }
}

bool Answers::work(WorkBudget& budget) {
  if (old_ == nullptr) {
    if (making_ == nullptr) {
      if (outlook_ != nullptr && outlook_->sequence() == queue_.sequence()) return true;
      making_ = std::make_unique<Outlook>(queue_);
      outside_made_ = outside_queues(queue_.view());
    }
    if (!making_->work(budget)) return false;
    old_ = std::exchange(outlook_, std::move(making_));
    outside_ = std::move(outside_made_);
    reasons_.emplace(queue_, names_);
  }
  if (old_ != nullptr && !old_->free_gradually(budget)) return false;
  old_.reset();
  return outlook_->sequence() == queue_.sequence();
}

std::size_t Answers::size() const {
  return outlook_ == nullptr ? 0 : outlook_->entries().size() + outside_.size();
}

Outlook::Entry Answers::entry(std::size_t n) const {
  assert(n < size());
  const auto& entries = outlook_->entries();
  return n < entries.size() ? entries[n] : Outlook::Entry{outside_[n - entries.size()]};
}

std::optional<Answers::Brief> Answers::brief(const Outlook::Entry& entry) {
  assert(reasons_.has_value());
  const auto state = queue_.state(entry.job);
  if (!state || *state == JobState::running) return std::nullopt;
  return Brief{entry, reasons_->of(entry.job, entry.ahead)};
}

std::vector<Answers::Brief> Answers::all() {
  std::vector<Brief> out;
  for (std::size_t n = 0; n < size(); ++n) {
    if (auto brief = at(n)) out.push_back(std::move(*brief));
  }
  return out;
}

void Answers::forget_older() {
  if (present_sequence_ == queue_.sequence()) return;
  present_.reset();
  of_viewers_.clear();
  present_sequence_ = queue_.sequence();
}

Reasons& Answers::present_reasons() {
  forget_older();
  if (!present_) present_.emplace(queue_, names_);
  return *present_;
}

Reasons& Answers::reasons_of(const std::string& viewer, const JobNames& names) {
  forget_older();
  const auto known = of_viewers_.find(viewer);
  if (known != of_viewers_.end()) return known->second;
  if (of_viewers_.size() >= kViewersMax) of_viewers_.clear();
  return of_viewers_.try_emplace(viewer, queue_, names).first->second;
}

Result<Answer> Answers::answer(JobId id, Reasons& reasons) {
  const QueueView view = queue_.view();
  const Slot slot = view.jobs.find(id);
  if (slot == kNoSlot) return fail(ErrorCode::not_found, fmt::format("there is no job {}", id));
  const QueuedJob& job = view.jobs[slot];
  if (job.state == JobState::running) {
    return fail(ErrorCode::invalid, fmt::format("job {} runs already", id));
  }
  Answer out;
  out.job = id;
  out.state = job.state;
  out.now_s = view.engine.now();
  out.queue = view.queues.named()[job.queue].name;
  const WaitingQueue& waiting_queue = view.queues[job.waiting_queue];
  if (job.state != JobState::on_hold && job.reservation == 0) {
    out.ahead = ahead_of(waiting_queue, job);
    if (out.ahead > 0) out.first = view.jobs[waiting_queue.order().front().slot].id;
  }
  out.reason = reasons.of(id, out.ahead);
  if (job.state == JobState::promised) {
    const Grant* grant = view.engine.grant(id);
    if (grant != nullptr) {
      out.unbooked =
          UnbookedOccurrences(queue_.reservations()).conflict(view.engine.graph(), *grant);
    }
    if (!out.unbooked) out.promised_s = out.expected_s = job.start_s;
  }
  // An outlook of another state is less reliable than a promise.
  const bool known =
      outlook_ != nullptr && (!out.expected_s || outlook_->sequence() == queue_.sequence());
  if (known && job.state != JobState::on_hold) {
    const Outlook::Entry* entry = outlook_->find(id);
    if (entry != nullptr) {
      out.expected_s = entry->start_s;
      out.estimated = entry->estimated;
      if (entry->start_s || !out.unbooked) out.unbooked = entry->unbooked;
    }
  }
  if (out.reason.reserved_for_it) {
    const std::int64_t now_s = view.engine.now();
    const bool comes = out.reason.from_s > now_s;
    const bool ends_early =
        job.duration_s != kEndless_s && saturating_sum(now_s, job.duration_s) > out.reason.until_s;
    if (comes) out.earliest_s = out.reason.from_s;
    if (!comes && ends_early) out.earliest_s = next_time_of(view, out.reason.reservation);
  }
  out.help = help_for(view, job, out.reason, reasons);
  return out;
}

// An outlook of this state has counted them; else O(jobs ahead / 64).
std::size_t Answers::ahead_of(const WaitingQueue& queue, const QueuedJob& job) const {
  if (outlook_ != nullptr && outlook_->sequence() == queue_.sequence()) {
    if (const Outlook::Entry* entry = outlook_->find(job.id)) return entry->ahead;
  }
  const Slot slot = queue_.view().jobs.find(job.id);
  return queue.order().index(queue.order().find({job.position, slot, job.duration_s}));
}

const std::vector<Help>& Answers::help_for(const QueueView& view, const QueuedJob& job,
                                           const Reason& reason, Reasons& reasons) {
  static const std::vector<Help> kNone;
  if (job.reservation != 0 || !another_queue_would_help(reason.cause)) return kNone;
  const std::pair state{queue_.sequence(), view.engine.now()};
  if (state != help_state_) help_.clear();
  help_state_ = state;
  const bool promised = job.state == JobState::promised;
  const bool in_engine = view.engine.grant(job.id) != nullptr;
  const auto [known, is_new] =
      help_.try_emplace(HelpKey{job.kind, job.duration_s, promised ? job.start_s : -1,
                                in_engine ? job.id : 0, more_would_help(reason.cause)});
  std::vector<Help>& out = known->second;
  if (!is_new) return out;
  if (more_would_help(reason.cause)) {
    if (auto help = fewer(view, job, reasons)) out.push_back(std::move(*help));
    const std::int64_t likely_s = reason.from_s ? *reason.from_s - view.engine.now() : 0;
    const std::int64_t longest_s = reasons.longest(job, likely_s);
    if (longest_s > 0) out.push_back({.kind = Help::Kind::shorter, .amount = longest_s});
  }
  if (auto help = other_queue(view, job, reasons)) out.push_back(std::move(*help));
  return out;
}

}  // namespace copse::queue
