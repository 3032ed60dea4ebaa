// SPDX-License-Identifier: Apache-2.0
#include "queue/job_queue.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace copse::queue {

namespace {

std::int64_t asked(std::int64_t duration_s) {
  return duration_s == 0 ? kEndless_s : std::min(duration_s, kEndless_s);
}

Error below_0(const char* what) {
  return {ErrorCode::invalid, fmt::format("a {} is not below 0", what), {}};
}

}  // namespace

JobQueue::JobQueue(Engine& engine, std::vector<LineSpec> lines, QueueSink& sink, PriorityRule rule)
    : engine_(engine),
      sink_(sink),
      kinds_(engine),
      promises_(engine, jobs_, kinds_),
      priorities_(engine.graph(), std::move(rule)),
      reservations_({engine_, jobs_, kinds_, promises_, priorities_, sink_}),
      lines_(std::move(lines), {engine_, jobs_, kinds_, promises_, chances_, priorities_,
                                promise_errors_, sink_, leaving_}),
      prioritized_s_(engine.now()) {
  for (const JobId job : engine.jobs()) {
    const Grant* grant = engine.grant(job);
    if (grant->end < engine.options().horizon) other_ends_.push(grant->end);
  }
}

JobQueue::JobQueue(const JobQueue& other, Engine& engine, QueueSink& sink)
    : engine_(engine),
      sink_(sink),
      jobs_(other.jobs_),
      kinds_(other.kinds_, engine_),
      chances_(other.chances_),
      promises_(other.promises_, engine_, jobs_, kinds_),
      priorities_(other.priorities_),
      reservations_(other.reservations_, {engine_, jobs_, kinds_, promises_, priorities_, sink_}),
      leaving_(other.leaving_),
      promise_errors_(other.promise_errors_),
      lines_(other.lines_, {engine_, jobs_, kinds_, promises_, chances_, priorities_,
                            promise_errors_, sink_, leaving_}),
      prioritized_s_(other.prioritized_s_),
      arrivals_(other.arrivals_),
      sequence_(other.sequence_),
      other_ends_(other.other_ends_),
      freed_(other.freed_),
      changed_(other.changed_),
      given_back_(other.given_back_),
      at_line_(other.at_line_),
      passing_(other.passing_) {}

std::unique_ptr<JobQueue> JobQueue::clone(Engine& engine, QueueSink& sink) const {
  return std::unique_ptr<JobQueue>(new JobQueue(*this, engine, sink));
}

// --- Priorities

std::int64_t JobQueue::behind(const QueuedJob& job) const {
  const Priorities::Asked by{job.given, job.place.submit_s, kinds_[job.kind].cores,
                             lines_.queues()[job.queue].weight, job.user};
  const std::int64_t priority = priorities_.of(by, engine_.now());
  return priority == INT64_MIN ? INT64_MAX : -priority;
}

std::optional<std::int64_t> JobQueue::next_priorities() const {
  if (!priorities_.rule().moves() || waiting() == 0) return std::nullopt;
  return prioritized_s_ + priorities_.rule().period_s;
}

void JobQueue::prioritize() {
  const auto due_s = next_priorities();
  if (!due_s || *due_s > engine_.now()) return;
  prioritized_s_ = engine_.now();
  for (const auto& line : lines_) {
    line->reorder([this](const QueuedJob& job) { return behind(job); });
  }
}

// --- Events

Result<Slot> JobQueue::known(JobId id) const {
  const Slot slot = jobs_.find(id);
  if (slot == kNoSlot) return fail(ErrorCode::not_found, fmt::format("there is no job {}", id));
  return slot;
}

Result<Slot> JobQueue::not_running(JobId id) const {
  auto slot = known(id);
  if (slot && jobs_[*slot].state == JobState::running) {
    return fail(ErrorCode::invalid, fmt::format("job {} runs already", id));
  }
  return slot;
}

Result<Slot> JobQueue::runs(JobId id) const {
  auto slot = known(id);
  if (slot && jobs_[*slot].state != JobState::running) {
    return fail(ErrorCode::invalid, fmt::format("job {} does not run", id));
  }
  return slot;
}

void JobQueue::freed(std::int64_t from_s, std::int64_t until_s) {
  freed_ = true;
  if (from_s >= until_s) return;
  if (passing_) {
    given_back_.push_back({from_s, until_s});
  } else {
    chances_.give_back({from_s, until_s});
  }
}

Result<void> JobQueue::submit(const Submission& job) {
  if (job.id == 0) return fail(ErrorCode::invalid, "a job has an id above 0");
  if (job.id >= kReservationIds) return fail(ErrorCode::invalid, "a job has an id below 2^63");
  if (job.duration_s < 0) return std::unexpected(below_0("duration"));
  if (job.submit_s < 0) return std::unexpected(below_0("time"));
  if (jobs_.find(job.id) != kNoSlot || engine_.grant(job.id) != nullptr) {
    return fail(ErrorCode::exists, fmt::format("there is a job {} already", job.id));
  }
  const auto queue = lines_.find(job.queue);
  if (!queue) return std::unexpected(queue.error());
  std::uint32_t reservation = 0;
  if (!job.reservation.empty()) {
    const auto found = reservations_.find(job.reservation, job.user, job.duration_s);
    if (!found && found.error().code == ErrorCode::not_found) {
      return std::unexpected(found.error());
    }
    if (!found) {
      sink_.denied(job.id, found.error());
      return {};
    }
    reservation = *found;
  }
  const std::uint32_t kind = kinds_.find(job.kind, (*queue)->number, *job.request);
  if (kinds_[kind].cores < 0) kinds_[kind].cores = priorities_.cores(*job.request);
  if (!kinds_[kind].request) {
    sink_.denied(job.id, kinds_[kind].why_not);
    if (kinds_[kind].jobs == 0) kinds_.release(kind);
    return {};
  }
  ++kinds_[kind].jobs;
  QueuedJob made;
  made.id = job.id;
  made.place = {0, job.submit_s, arrivals_++};
  made.given = job.priority;
  made.user = priorities_.user(job.user);
  made.duration_s = asked(job.duration_s);
  made.kind = kind;
  made.queue = (*queue)->number;
  made.line = (*queue)->line;
  made.reservation = reservation;
  made.state = job.held ? JobState::held : JobState::waiting;
  made.place.behind = behind(made);
  const Slot slot = jobs_.add(made);
  ++sequence_;
  promises_.joined(slot);
  if (!job.held) stand(slot);
  return {};
}

void JobQueue::stand(Slot slot) {
  changed_ = true;
  if (jobs_[slot].reservation != 0) {
    reservations_.insert(slot);
  } else {
    lines_[jobs_[slot].line].insert(slot);
  }
}

void JobQueue::withdraw(Slot slot) {
  ++sequence_;
  QueuedJob& job = jobs_[slot];
  if (job.state == JobState::held) return;
  Line& line = lines_[job.line];
  if (job.reservation != 0) {
    reservations_.erase(slot);
  } else if (job.state == JobState::promised) {
    freed(job.start_s, job.end_s);
    line.erase(slot);
    promises_.drop(slot);
  } else {
    line.erase(slot);
  }
  changed_ = true;  // the next in the line may be promised something
}

void JobQueue::forget(Slot slot) {
  const std::uint32_t kind = jobs_[slot].kind;
  promises_.left(slot);
  jobs_.erase(slot);
  if (--kinds_[kind].jobs > 0) return;
  reservations_.forget_kind(kind);
  kinds_.release(kind);
}

Result<void> JobQueue::cancel(JobId id) {
  const auto slot = not_running(id);
  if (!slot) return std::unexpected(slot.error());
  withdraw(*slot);
  forget(*slot);
  return {};
}

Result<void> JobQueue::hold(JobId id) {
  const auto slot = not_running(id);
  if (!slot) return std::unexpected(slot.error());
  withdraw(*slot);
  jobs_[*slot].state = JobState::held;
  return {};
}

Result<void> JobQueue::release(JobId id) {
  const auto slot = known(id);
  if (!slot) return std::unexpected(slot.error());
  if (jobs_[*slot].state != JobState::held) return {};
  jobs_[*slot].state = JobState::waiting;
  jobs_[*slot].place.behind = behind(jobs_[*slot]);
  ++sequence_;
  stand(*slot);
  return {};
}

Result<void> JobQueue::set_priority(JobId id, std::int64_t priority) {
  const auto slot = not_running(id);
  if (!slot) return std::unexpected(slot.error());
  QueuedJob& job = jobs_[*slot];
  if (job.given == priority) return {};
  ++sequence_;
  job.given = priority;
  Place place = job.place;
  place.behind = behind(job);
  const bool waits = job.state != JobState::held, reserved = job.reservation != 0;
  if (waits && reserved) reservations_.erase(*slot);
  if (waits && !reserved) {
    lines_[job.line].set_place(*slot, place);
  } else {
    job.place = place;
  }
  if (waits && reserved) reservations_.insert(*slot);
  changed_ = changed_ || waits;
  return {};
}

Result<Line*> JobQueue::line_of(std::string_view queue) {
  const auto named = lines_.find(queue);
  if (!named) return std::unexpected(named.error());
  Line& line = lines_[(*named)->line];
  if (!(*named)->is_virtual) return &line;
  return fail(ErrorCode::invalid,
              fmt::format("queue \"{}\" is virtual: its jobs stand in that of its parent, \"{}\"",
                          queue, line.name()));
}

Result<void> JobQueue::set_discipline(std::string_view queue, Discipline discipline,
                                      std::size_t depth) {
  const auto line = line_of(queue);
  if (!line) return std::unexpected(line.error());
  ++sequence_;
  (*line)->set_discipline(std::move(discipline), depth);
  changed_ = true;
  return {};
}

Result<void> JobQueue::set_stopped(std::string_view queue, bool stopped) {
  const auto line = line_of(queue);
  if (!line) return std::unexpected(line.error());
  if ((*line)->stopped() == stopped) return {};
  ++sequence_;
  (*line)->stop(stopped);
  freed_all();
  return {};
}

Result<void> JobQueue::ended(JobId id, std::int64_t at_s) {
  const auto slot = runs(id);
  if (!slot) return std::unexpected(slot.error());
  ++sequence_;
  priorities_.ended(jobs_[*slot].user, kinds_[jobs_[*slot].kind].cores, at_s);
  freed(std::max(at_s, engine_.now()), jobs_[*slot].end_s);
  promises_.end(*slot);
  forget(*slot);
  given_back(id);
  return {};
}

void JobQueue::given_back(JobId id) {
  if (reservations_.given_back(id)) changed_ = true;
}

Result<bool> JobQueue::ended_part(JobId id, std::span<const PoolId> pools) {
  const auto slot = runs(id);
  if (!slot) return std::unexpected(slot.error());
  auto gone = promises_.end_part(*slot, pools);
  if (!gone) return gone;
  ++sequence_;
  freed(engine_.now(), jobs_[*slot].end_s);
  if (*gone) {
    priorities_.ended(jobs_[*slot].user, kinds_[jobs_[*slot].kind].cores, engine_.now());
    promises_.end(*slot);
    forget(*slot);
  }
  given_back(id);
  return gone;
}

Result<void> JobQueue::set_duration(JobId id, std::int64_t duration_s) {
  if (duration_s < 0) return std::unexpected(below_0("duration"));
  const auto slot = not_running(id);
  if (!slot) return std::unexpected(slot.error());
  const bool waits = jobs_[*slot].state != JobState::held;
  withdraw(*slot);
  jobs_[*slot].duration_s = asked(duration_s);
  if (waits) stand(*slot);
  return {};
}

Result<void> JobQueue::set_end(JobId id, std::int64_t end_s) {
  const auto slot = runs(id);
  if (!slot) return std::unexpected(slot.error());
  const std::int64_t old_s = jobs_[*slot].end_s;
  auto ok = promises_.set_end(*slot, end_s);
  if (!ok && ok.error().code == ErrorCode::insufficient) {
    drop_promises_before(end_s);
    ok = promises_.set_end(*slot, end_s);
  }
  if (!ok) return ok;
  ++sequence_;
  changed_ = true;
  if (end_s < old_s) freed(end_s, old_s);
  given_back(id);
  return {};
}

void JobQueue::set_status(PoolId pool, Status status) {
  ++sequence_;
  for (const auto& line : lines_) line->drop_promises();
  engine_.set_status(pool, status);
  promises_.count_again();
  reservations_.look_again();
  freed_all();
}

Result<void> JobQueue::attach(std::span<const NewSubtree> subtrees) {
  if (auto ok = engine_.attach(subtrees); !ok) return ok;
  machine_changed();
  return {};
}

Result<std::vector<JobId>> JobQueue::remove(std::span<const PoolId> tops) {
  auto lost = engine_.remove(tops);
  if (!lost) return lost;
  machine_changed();
  std::erase_if(*lost, [this](JobId id) { return !runs(id); });
  return lost;
}

void JobQueue::machine_changed() {
  ++sequence_;
  for (const auto& line : lines_) line->drop_promises();
  freed_all();
  kinds_.prepare_again();
  reservations_.machine_changed();
  std::vector<Slot> never;
  for (const auto& [id, slot] : jobs_.slots()) {
    const QueuedJob& job = jobs_[slot];
    if (job.state != JobState::running && !kinds_[job.kind].request) never.push_back(slot);
  }
  std::ranges::sort(never, {}, [this](Slot slot) { return jobs_[slot].id; });
  for (const Slot slot : never) {
    sink_.denied(jobs_[slot].id, kinds_[jobs_[slot].kind].why_not);
    withdraw(slot);
    forget(slot);
  }
  promises_.machine_changed();
}

// Only who starts before then can be in the way of who runs until then.
void JobQueue::drop_promises_before(std::int64_t time_s) {
  while (!promises_.due().empty() && std::get<0>(*promises_.due().begin()) < time_s) {
    const Slot slot = std::get<2>(*promises_.due().begin());
    freed(jobs_[slot].start_s, jobs_[slot].end_s);
    lines_[jobs_[slot].line].drop_promise(slot);
  }
}

void JobQueue::overrun(std::int64_t now_s) {
  const std::int64_t end_s = std::min(now_s + kOverrun_s, engine_.options().horizon);
  for (Slot slot = promises_.overdue(now_s); slot != kNoSlot; slot = promises_.overdue(now_s)) {
    const auto keep = [&] { return set_end(jobs_[slot].id, end_s); };
    [[maybe_unused]] const auto kept = reservations_.run_on(jobs_[slot].id, end_s, keep);
  }
}

// --- Reservations

void JobQueue::clear_way(const ReservedNodes& reserved) {
  std::vector<Slot> in_way;
  for (const auto& [start_s, place, slot] : promises_.due()) {
    const Grant* grant = engine_.grant(jobs_[slot].id);
    if (grant != nullptr && reserved.stands_in_way(engine_.graph(), *grant)) in_way.push_back(slot);
  }
  for (const Slot slot : in_way) {
    freed(jobs_[slot].start_s, jobs_[slot].end_s);
    lines_[jobs_[slot].line].drop_promise(slot);
  }
}

void JobQueue::reservations_changed() {
  ++sequence_;
  changed_ = true;
  promises_.hold_beside(reservations_.any());
  begin_due();
  for (const auto& [slot, why] : reservations_.take_stranded()) {
    sink_.denied(jobs_[slot].id, {ErrorCode::invalid, why, {}});
    forget(slot);
  }
}

Result<std::vector<ReservationLoss>> JobQueue::reserve(const ReservationSpec& spec) {
  promises_.hold_beside(true);
  begin_due();
  auto losses = reservations_.add(spec, [this](const ReservedNodes& r) { clear_way(r); });
  reservations_changed();
  return losses;
}

Result<std::vector<ReservationLoss>> JobQueue::change_reservation(const ReservationSpec& spec) {
  auto losses = reservations_.change(spec, [this](const ReservedNodes& r) { clear_way(r); });
  reservations_changed();
  if (losses) freed_all();
  return losses;
}

Result<void> JobQueue::cancel_reservation(std::string_view name) {
  if (auto ok = reservations_.remove(name); !ok) return ok;
  reservations_changed();
  freed_all();
  return {};
}

Result<std::optional<ReservationReason>> JobQueue::reservation_of(JobId id) const {
  const auto slot = known(id);
  if (!slot) return std::unexpected(slot.error());
  return reservations_.reason(*slot);
}

// --- The clock

void JobQueue::begin_due() {
  for (Slot slot = promises_.start_due(); slot != kNoSlot; slot = promises_.start_due()) {
    changed_ = true;
    if (jobs_[slot].state != JobState::running) freed_all();
    lines_[jobs_[slot].line].began(slot);
  }
}

Result<void> JobQueue::advance(std::int64_t now_s) {
  if (now_s > engine_.now() && now_s < engine_.options().horizon) overrun(now_s);
  const auto layer_s = engine_.next_layer_change(engine_.now() + 1);
  if (auto ok = engine_.advance(now_s); !ok) return ok;
  ++sequence_;
  if (layer_s && *layer_s <= now_s) freed_all();
  if (next_priorities() && *next_priorities() <= now_s) changed_ = true;
  if (reservations_.any()) {
    if (reservations_.advance([this](const ReservedNodes& r) { clear_way(r); })) freed_ = true;
    reservations_changed();
  }
  for (; !other_ends_.empty() && other_ends_.top() <= now_s; other_ends_.pop()) freed_ = true;
  begin_due();
  return {};
}

// --- Decisions

// Who was denied leaves with the slice: the next event may be of it.
bool JobQueue::work(Slice& slice) {
  const bool done = go_on(slice);
  forget_denied();
  return done;
}

void JobQueue::forget_denied() {
  for (const Slot slot : leaving_) forget(slot);
  leaving_.clear();
}

bool JobQueue::go_on(Slice& slice) {
  while (passing_ || freed_ || changed_) {
    if (!passing_) {
      passing_ = true;
      ++sequence_;
      at_line_ = 0;
      prioritize();
      const bool counted = promises_.counting();
      promises_.settle_form();
      if (!counted && promises_.counting()) {  // no particular nodes keep anybody from a start now
        freed_ = true;
        given_back_.push_back({engine_.now(), INT64_MAX});
      }
      begin_due();
      for (const auto& time : given_back_) chances_.give_back(time);
      given_back_.clear();
      for (const auto& line : lines_) freed_ |= line->protect();
      if (freed_) {
        for (const auto& line : lines_) line->unstick();
        kinds_.forget_failures();
      }
      reservations_.begin();
      for (const auto& line : lines_) line->begin(freed_);
      freed_ = changed_ = false;
    }
    if (!reservations_.go_on(slice)) return false;
    for (; at_line_ < lines_.size(); ++at_line_) {
      if (!lines_[at_line_].go_on(slice)) return false;
    }
    if (chances_.any()) chances_.end_pass();
    passing_ = false;
    for (const auto& line : lines_) changed_ |= line->moved();
    forget_denied();
    tell_plans();
  }
  return true;
}

void JobQueue::tell_plans() {
  for (const Slot slot : promises_.changed()) {
    QueuedJob& job = jobs_[slot];
    if (jobs_.find(job.id) != slot || job.state == JobState::running) continue;
    const std::int64_t start_s = job.state == JobState::promised ? job.start_s : -1;
    if (start_s == job.told_s) continue;
    job.told_s = start_s;
    if (job.first_told_s < 0) job.first_told_s = start_s;
    if (start_s >= 0) {
      sink_.planned(job.id, start_s);
    } else {
      sink_.unplanned(job.id);
    }
  }
  promises_.told();
}

std::optional<std::int64_t> JobQueue::next_time() const {
  std::optional<std::int64_t> out;
  const auto take = [&](std::int64_t time_s) { out = out ? std::min(*out, time_s) : time_s; };
  if (!promises_.due().empty()) take(std::get<0>(*promises_.due().begin()));
  if (!other_ends_.empty()) take(other_ends_.top());
  if (const auto time_s = next_priorities()) take(*time_s);
  if (const auto time_s = reservations_.next_time()) take(*time_s);
  if (promises_.due().size() < waiting()) {
    const auto time_s = engine_.next_layer_change(engine_.now() + 1);
    if (time_s && *time_s < engine_.options().horizon) take(*time_s);
  }
  return out;
}

// --- What there is

std::optional<JobState> JobQueue::state(JobId id) const {
  const Slot slot = jobs_.find(id);
  return slot == kNoSlot ? std::nullopt : std::optional(jobs_[slot].state);
}

std::optional<std::int64_t> JobQueue::promised_start(JobId id) const {
  const Slot slot = jobs_.find(id);
  if (slot == kNoSlot || jobs_[slot].state != JobState::promised) return std::nullopt;
  return jobs_[slot].start_s;
}

std::optional<JobId> JobQueue::first() const {
  for (const auto& line : lines_) {
    if (line->waiting() > 0) return jobs_[line->order().begin()->slot].id;
  }
  return reservations_.first();
}

void JobQueue::check() const {
  reservations_.check();
  for (const auto& line : lines_) line->check();
  for (const auto& [id, slot] : jobs_.slots()) {
    assert(jobs_[slot].id == id);
    assert(jobs_[slot].state != JobState::promised || !promises_.due().empty());
    (void)id;
  }
}

}  // namespace copse::queue
