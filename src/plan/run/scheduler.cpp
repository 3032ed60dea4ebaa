// SPDX-License-Identifier: Apache-2.0
#include "plan/run/scheduler.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "queue/config/queue_nodes.hpp"

namespace copse::plan {

namespace {
constexpr const char* kClockEnds = "the clock ends before it can start";
}

Result<void> schedule(Engine& engine, const Jobs& jobs, const Discipline& discipline,
                      const ScheduleObserver& observer) {
  return schedule(engine, jobs, {.queues = {{.discipline = discipline}}}, observer);
}

Result<void> schedule(Engine& engine, const Jobs& jobs, const queue::QueueConfig& queues,
                      const ScheduleObserver& observer) {
  if (auto ok = queue::check_hosts(queues, engine.graph()); !ok) return ok;
  return Scheduler(engine, jobs, queues, observer).run();
}

Scheduler::Scheduler(Engine& engine, const Jobs& jobs, const queue::QueueConfig& queues,
                     const ScheduleObserver& observer)
    : engine_(engine),
      jobs_(jobs),
      observer_(observer),
      named_queues_(!queues.queues.front().name.empty()),
      default_queue_(queues.defaults.queue),
      queue_(engine, queues.queues, *this, queues.rule,
             queue::RunningLimits(queues.running_limits)),
      dependencies_(jobs),
      submissions_(jobs, dependencies_),
      ends_(engine.graph(), jobs),
      limits_(queues.limits, engine.graph()) {
  for (std::uint32_t r = 0; r < jobs.requests.size(); ++r) kinds_.push_back(std::to_string(r));
  for (const JobId job : engine.jobs()) first_grant_ = std::max(first_grant_, job + 1);
  if (!jobs.events.empty()) joined_.resize(jobs.jobs.size());
  for (std::size_t e = 0; e < jobs.events.size(); ++e) {
    const Event& event = jobs.events[e];
    if (event.type == Event::Type::up) last_repair_ = e + 1;
  }
}

std::optional<std::int64_t> Scheduler::next_time() const {
  std::optional<std::int64_t> out = queue_.next_time();
  const auto take = [&](std::int64_t time_s) { out = out ? std::min(*out, time_s) : time_s; };
  if (const auto submit_s = submissions_.next_s()) take(*submit_s);
  if (const auto end_s = ends_.next_s()) take(*end_s);
  if (next_event_ < jobs_.events.size()) take(jobs_.events[next_event_].time_s);
  return out;
}

// Outside grants alone do not keep the stream going, nor do events when no job is left.
bool Scheduler::over() const {
  return submissions_.all_came() && queue_.waiting() == 0 && queue_.running() == 0 &&
         (held_.empty() || next_event_ == jobs_.events.size());
}

// Only endless reservations are left, and the first waiting job never fits between them.
void Scheduler::refuse_endless() {
  const bool nothing = !ends_.next_s() && submissions_.all_came() &&
                       next_event_ == jobs_.events.size() && queue_.first();
  if (!nothing) quiet_.interrupt();
  if (!nothing || !quiet_.is_final(engine_.now())) return;
  const JobId grant = *queue_.first();
  [[maybe_unused]] const auto cancelled = queue_.cancel(grant);
  assert(cancelled);
  refuse(grant,
         {ErrorCode::insufficient, "it never fits between two occurrences of reservations", {}});
}

Result<void> Scheduler::run() {
  if (auto ok = reservations_.book_all(); !ok) return ok;
  while (auto time_s = next_time()) {
    if (over()) break;
    time_s = std::max(*time_s, engine_.now());
    if (observer_.pause_s && *time_s > *observer_.pause_s) return pause();
    end_jobs(*time_s);
    if (*time_s >= engine_.options().horizon && submissions_.all_submitted()) {
      refuse_rest();
      break;
    }
    if (auto ok = take_events(*time_s); !ok) return ok;
    if (auto ok = queue_.advance(*time_s); !ok) return ok;
    if (auto ok = settle(); !ok) return ok;
    if (!jobs_.reservations.empty() || !jobs_.later_reservations.empty()) {
      refuse_endless();
      if (auto ok = submissions_.any_released() ? settle() : Result<void>(); !ok) return ok;
    }
    if (observer_.advanced) observer_.advanced(*time_s, queue_.waiting());
  }
  if (observer_.pause_s) return pause();  // no event comes before that time
  refuse_held();
  return {};
}

// A job that starts or is refused may let others join the queue in the same second.
Result<void> Scheduler::settle() {
  do {
    submit_jobs();
    if (auto ok = work(); !ok) return ok;
  } while (submissions_.any_released());
  return {};
}

const Job* Scheduler::find_job(JobId grant) const {
  const bool own = grant >= first_grant_ && grant - first_grant_ < jobs_.jobs.size();
  return own ? &jobs_.jobs[job_of(grant)] : nullptr;
}

std::string Scheduler::name_of_grant(JobId grant) const {
  const Job* const job = find_job(grant);
  return job != nullptr ? job->name : std::to_string(grant);
}

Result<void> Scheduler::pause() {
  const std::int64_t last_s = engine_.options().horizon - 1;
  const std::int64_t now_s = std::max(std::min(*observer_.pause_s, last_s), engine_.now());
  if (auto ok = queue_.advance(now_s); !ok) return ok;
  if (auto ok = settle(); !ok) return ok;
  observer_.paused({.queue = queue_,
                    .names = [this](std::uint64_t grant) { return name_of_grant(grant); },
                    .queues =
                        [this](std::uint64_t grant) {
                          const Job* const job = find_job(grant);
                          return job != nullptr ? jobs_.words[job->queue] : std::string();
                        },
                    .deadlines = [this](std::uint64_t grant) { return deadline_of(grant); },
                    .awaiting = awaiting()});
  return {};
}

std::optional<std::int64_t> Scheduler::deadline_of(JobId grant) const {
  if (find_job(grant) == nullptr) return std::nullopt;
  const auto deadline = std::ranges::find_if(jobs_.events, [&](const Event& event) {
    return event.type == Event::Type::deadline && event.job == job_of(grant);
  });
  return deadline == jobs_.events.end() ? std::nullopt : std::optional(deadline->time_s);
}

std::vector<PausedStream::Awaiting> Scheduler::awaiting() const {
  std::vector<PausedStream::Awaiting> out;
  if (!dependencies_.any()) return out;
  for (const std::uint32_t job : submissions_.submitted()) {
    if (dependencies_.free(job) || dependencies_.lost(job)) continue;
    out.push_back({job, dependencies_.first_left(job)});
  }
  return out;
}

void Scheduler::end_jobs(std::int64_t now_s) {
  while (const auto end = ends_.take(now_s)) {
    [[maybe_unused]] const auto ended = queue_.ended(first_grant_ + end->job, end->time_s);
    assert(ended);
    if (observer_.ended) observer_.ended(end->job, end->time_s);
    if (end->ending == Ending::requeued) {
      submissions_.put_back(end->job);
      joined_[end->job] = false;
    } else {
      follow(end->job, end->ending == Ending::done ? Fact::ended_well : Fact::failed, end->time_s);
    }
  }
}

void Scheduler::follow(std::uint32_t job, Fact fact, std::int64_t now_s) {
  for (const Dependencies::Freed& next : dependencies_.happened(job, fact, now_s)) {
    if (!next.lost_by) {
      submissions_.free(next.job, next.time_s, now_s);
      continue;
    }
    held_.erase(next.job);
    if (!observer_.refused) continue;
    observer_.refused(next.job, now_s,
                      {ErrorCode::insufficient, lost_text(jobs_, *next.lost_by), {}});
  }
}

// --- Events of the stream

Result<void> Scheduler::take_events(std::int64_t now_s) {
  for (; next_event_ < jobs_.events.size(); ++next_event_) {
    const Event& event = jobs_.events[next_event_];
    if (event.time_s > now_s) break;
    if (event.of_nodes()) {
      set_status(event);
    } else if (event.of_job()) {
      take_job_event(event);
    } else if (auto ok = reservations_.book(jobs_.later_reservations[event.first_node]); !ok) {
      return fail(ok.error().code, ok.error().text, jobs_.later_places[event.first_node]);
    }
  }
  return {};
}

// Nodes that already have the status are skipped, because promises are made again after each
// change. Jobs on a node that fails have ended before.
void Scheduler::set_status(const Event& event) {
  const Status status = event.type == Event::Type::up     ? Status::up
                        : event.type == Event::Type::down ? Status::down
                                                          : Status::failing;
  for (const PoolId node : jobs_.nodes_of(event)) {
    if (usable(engine_.status(node)) != usable(status)) queue_.set_status(node, status);
  }
}

bool Scheduler::is_ahead(std::uint32_t job) const {
  if (joined_[job] || dependencies_.lost(job)) return false;
  const auto early = early_.find(job);
  return early == early_.end() || !early->second.gone;
}

// An event of an ended job has no effect; the end of a running one is already known.
void Scheduler::take_job_event(const Event& event) {
  const JobId id = first_grant_ + event.job;
  const auto state = queue_.state(id);
  const bool waits = state && *state != queue::JobState::running, ahead = is_ahead(event.job);
  if (event.type == Event::Type::priority) early_[event.job].priority = event.priority;
  if (!waits && !ahead) return;
  [[maybe_unused]] Result<void> done;
  switch (event.type) {
    case Event::Type::cancel:
    case Event::Type::deadline: withdraw(event.job, event); break;
    case Event::Type::hold:
      held_.insert(event.job);
      if (waits) done = queue_.hold(id);
      break;
    case Event::Type::release:
      held_.erase(event.job);
      if (waits) done = queue_.release(id);
      break;
    case Event::Type::priority:
      if (waits) done = queue_.set_priority(id, event.priority);
      break;
    default: break;
  }
  assert(done);
}

void Scheduler::withdraw(std::uint32_t job, const Event& event) {
  held_.erase(job);
  if (is_ahead(job)) {
    early_[job].gone = true;
    dependencies_.lose(job);
  } else {
    [[maybe_unused]] const auto cancelled = queue_.cancel(first_grant_ + job);
    assert(cancelled);
  }
  if (observer_.withdrawn) {
    observer_.withdrawn(job, event.time_s, event.type == Event::Type::deadline);
  }
  follow(job, Fact::gone, event.time_s);
}

// --- Submissions

// A refused job may release others.
void Scheduler::submit_jobs() {
  while (const auto job = submissions_.next(engine_.now())) submit(*job);
  for (const std::uint32_t job : submissions_.released(engine_.now())) submit(job);
}

// A job that names no queue is in the one for those.
std::string_view Scheduler::queue_of(const Job& job) const {
  if (!named_queues_) return "";
  const std::string& named = jobs_.words[job.queue];
  return named.empty() ? default_queue_ : named;
}

// A job that goes back to the queue keeps its time.
std::int64_t Scheduler::submit_time(std::uint32_t number) {
  if (!jobs_.jobs[number].submitted_after) return jobs_.jobs[number].submit_s;
  const auto [at, is_new] = submitted_s_.emplace(number, engine_.now());
  if (is_new && observer_.submitted) observer_.submitted(number, at->second);
  return at->second;
}

void Scheduler::submit(std::uint32_t number) {
  const Job& job = jobs_.jobs[number];
  queue::Submission submission{.id = first_grant_ + number,
                               .submit_s = 0,
                               .duration_s = job.duration_s,
                               .priority = job.priority,
                               .on_hold = held_.contains(number),
                               .queue = queue_of(job),
                               .user = jobs_.words[job.user],
                               .reservation = jobs_.words[job.reservation],
                               .kind = kinds_[job.request],
                               .request = &jobs_.requests[job.request]};
  if (const auto early = early_.find(number); early != early_.end()) {
    if (early->second.gone) return;
    submission.priority = early->second.priority.value_or(job.priority);
  }
  submission.submit_s = submit_time(number);
  if (!joined_.empty()) joined_[number] = true;
  if (auto broken =
          limits_.broken(submission.queue, job.request, *submission.request, job.duration_s);
      !broken.empty()) {
    return refuse(submission.id, {ErrorCode::infeasible, std::move(broken), {}});
  }
  // Its reservation may have ended, or be unknown.
  if (const auto submitted = queue_.submit(submission); !submitted) {
    refuse(submission.id, submitted.error());
  }
}

// Jobs that fit at no time are refused, unless nodes return later.
Result<void> Scheduler::work() {
  for (;;) {
    queue_.work();
    if (failure_) return std::unexpected(*failure_);
    if (next_event_ < last_repair_) unplaceable_.clear();
    if (unplaceable_.empty() && queue_.running() == 0 && !next_time() && queue_.first()) {
      unplaceable_.push_back(*queue_.first());
    }
    if (unplaceable_.empty()) return {};
    refuse_unplaceable();
  }
}

void Scheduler::refuse_unplaceable() {
  for (const JobId grant : unplaceable_) {
    [[maybe_unused]] const auto cancelled = queue_.cancel(grant);
    assert(cancelled);
    const std::int64_t left_s = engine_.options().horizon - engine_.now();
    const bool too_late = find_job(grant)->duration_s > left_s;
    refuse(grant,
           {ErrorCode::insufficient,
            too_late
                ? kClockEnds
                : "it fits at no time: the resources that it needs are down, or in use without end",
            {}});
  }
  unplaceable_.clear();
}

// The clock ends: no job can start any more.
void Scheduler::refuse_rest() {
  const Error error{ErrorCode::insufficient, kClockEnds, {}};
  for (const std::uint32_t job : submissions_.give_up()) {
    refuse(first_grant_ + job, error, Fact::unplaceable);
  }
  while (const auto first = queue_.first()) {
    if (!queue_.cancel(*first)) break;
    refuse(*first, error, Fact::unplaceable);
  }
}

void Scheduler::refuse_held() {
  const std::set<std::uint32_t> held = std::move(held_);
  held_.clear();
  for (const std::uint32_t job : held) {
    const JobId grant = first_grant_ + job;
    const bool waits = queue_.state(grant).has_value();
    if (!waits && !is_ahead(job)) continue;  // refused with an earlier one
    if (waits && !queue_.cancel(grant)) continue;
    refuse(grant, {ErrorCode::insufficient, "it is held, and no event releases it", {}},
           Fact::unplaceable);
  }
}

void Scheduler::refuse(JobId grant, const Error& error, Fact fact) {
  quiet_.interrupt();
  held_.erase(job_of(grant));
  if (observer_.refused) observer_.refused(job_of(grant), engine_.now(), error);
  follow(job_of(grant), fact, engine_.now());
}

// --- Decisions of the queue

void Scheduler::started(JobId grant, const Grant& what) {
  const std::uint32_t job = job_of(grant);
  const std::int64_t now_s = engine_.now();
  const JobEnds::End end = ends_.add(job, what, now_s);
  follow(job, Fact::started, now_s);
  if (observer_.started) observer_.started(job, now_s, end.time_s, end.ending, what);
  if (observer_.cut && end.cut) observer_.cut(job);
}

void Scheduler::planned(JobId grant, std::int64_t start_s) {
  if (observer_.promised) observer_.promised(job_of(grant), start_s);
}

void Scheduler::denied(JobId grant, const Error& error) { refuse(grant, error); }

void Scheduler::unplaceable(JobId grant, const Error&) { unplaceable_.push_back(grant); }

void Scheduler::reserved(const std::string& name, std::int64_t start_s, std::int64_t end_s,
                         const std::vector<PoolId>& nodes) {
  if (observer_.reserved) observer_.reserved(name, start_s, end_s, nodes);
}

}  // namespace copse::plan
