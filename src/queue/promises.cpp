// SPDX-License-Identifier: Apache-2.0
#include "queue/promises.hpp"

#include <algorithm>
#include <cassert>

#include "queue/refusal.hpp"

namespace copse::queue {

namespace {

bool not_now(const Error& error) {
  return error.code == ErrorCode::insufficient || error.code == ErrorCode::infeasible;
}

Promises::StartResult no(const NoMatch& error, std::int64_t now_s) {
  if (error.takes_nothing) return {Promises::Outcome::refused, nothing_to_take(now_s)};
  return {not_now(error) ? Promises::Outcome::waits : Promises::Outcome::refused, error};
}

NoMatch too_few() { return NoMatch(Error{ErrorCode::insufficient, "too few nodes are free", {}}); }

}  // namespace

Promises::Promises(Engine& engine, JobTable& jobs, JobKindTable& kinds, const Priorities& users,
                   RunningLimits limits)
    : engine_(engine),
      jobs_(jobs),
      kinds_(kinds),
      users_(users),
      limits_(std::move(limits)),
      counted_(engine, jobs, kinds),
      ends_(engine, jobs) {
  for (const JobId job : engine.jobs()) counted_.outside_changed(job);
}

Promises::Promises(const Promises& other, Engine& clone, JobTable& jobs, JobKindTable& kinds,
                   const Priorities& users)
    : engine_(clone),
      jobs_(jobs),
      kinds_(kinds),
      users_(users),
      limits_(other.limits_),
      due_(other.due_),
      counted_(other.counted_, clone, jobs, kinds),
      changed_(other.changed_),
      ends_(other.ends_, clone, jobs),
      running_(other.running_),
      sharing_(other.sharing_) {}

std::int64_t Promises::duration_of(const QueuedJob& job) const {
  return std::min(job.duration_s, engine_.options().horizon - engine_.now());
}

PreparedRequest& Promises::prepared(const QueuedJob& job) {
  return kinds_.prepared(job.kind, duration_of(job));
}

MatchResult Promises::ask(Operation operation, const QueuedJob& job) {
  return engine_.match(operation, prepared(job), job.id);
}

void Promises::note(Slot slot, std::int64_t start_s, std::int64_t end_s) {
  QueuedJob& job = jobs_[slot];
  job.start_s = start_s;
  job.end_s = end_s;
  count_limits(job, true);
  job.state = JobState::promised;
  due_.insert({start_s, job.position, slot});
  changed_.push_back(slot);
}

std::string Promises::limit_reached(Slot slot) const {
  const QueuedJob& job = jobs_[slot];
  return limits_.reached(users_.name(job.user), kinds_.queue_name(job.queue),
                         kinds_[job.kind].most);
}

void Promises::count_limits(const QueuedJob& job, bool more) {
  if (!limits_.any()) return;
  const auto user = users_.name(job.user), queue = kinds_.queue_name(job.queue);
  more ? limits_.add(user, queue, kinds_[job.kind].most)
       : limits_.remove(user, queue, kinds_[job.kind].most);
}

void Promises::waits(QueuedJob& job) {
  count_limits(job, false);
  job.state = JobState::waiting;
}

Promises::StartResult Promises::begun(Slot slot, const Grant& grant) {
  QueuedJob& job = jobs_[slot];
  job.start_s = grant.start;
  job.end_s = grant.end;
  if (counting()) counted_.add_started(job);
  runs(slot);
  return {Outcome::started, {}};
}

void Promises::runs(Slot slot) {
  QueuedJob& job = jobs_[slot];
  if (job.state != JobState::promised) count_limits(job, true);
  job.state = JobState::running;
  ++running_;
  ++running_changes_;
  job.limit_s = job.end_s;
  ends_.add(slot, running_);
}

void Promises::resume_running(Slot slot, std::int64_t start_s, std::int64_t end_s) {
  assert(!counting());
  QueuedJob& job = jobs_[slot];
  const Grant* grant = engine_.grant(job.id);
  job.start_s = grant != nullptr ? grant->start : start_s;
  job.end_s = grant != nullptr ? grant->end : end_s;
  runs(slot);
  if (job.duration_s < job.end_s - job.start_s) job.limit_s = job.start_s + job.duration_s;
}

std::optional<NodeCounts::Start> Promises::earliest(Slot slot, std::int64_t from_s,
                                                    std::int64_t before_s) {
  const QueuedJob& job = jobs_[slot];
  return counts().earliest(from_s, before_s, duration_of(job), engine_.options().horizon,
                           counted_.need(job.kind), sharing(slot));
}

NodeCounts::ShareOut Promises::sharing(Slot slot) {
  return [this, slot](std::int64_t start_s, std::int64_t end_s) {
    return sharing_.share_out(jobs_, counted_, due_, {start_s, end_s, slot});
  };
}

// From this start, or the earliest one: up to it, or at any time.
bool Promises::promise_counted(Slot slot, std::int64_t start_s, bool or_later) {
  auto at = earliest(slot, start_s, start_s + 1);
  if (!at) at = earliest(slot, engine_.now(), INT64_MAX);
  if (!at || (!or_later && at->start_s > start_s)) return false;
  note(slot, at->start_s, at->end_s);
  counted_.add(jobs_[slot], std::move(at->use));
  return true;
}

bool Promises::resume_promised(Slot slot, std::int64_t start_s) {
  QueuedJob& job = jobs_[slot];
  const Grant* grant = engine_.grant(job.id);
  if (counting()) {
    if (grant != nullptr) (void)engine_.cancel(job.id);
    return promise_counted(slot, start_s, false);
  }
  if (grant == nullptr) {
    auto match = engine_.match_between(prepared(job), job.id, start_s, start_s + 1);
    if (!match) match = engine_.match_between(prepared(job), job.id, engine_.now(), start_s);
    if (!match) return false;
    grant = engine_.grant(job.id);
  }
  note(slot, grant->start, grant->end);
  return true;
}

void Promises::withdraw(Slot slot) {
  jobs_[slot].withdrawn_s = jobs_[slot].start_s;
  drop(slot);
}

bool Promises::restore(Slot slot) {
  QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::waiting && job.withdrawn_s >= 0);
  const std::int64_t start_s = std::max(job.withdrawn_s, engine_.now());
  if (counting()) {
    const CountedUse was = job.counted;
    const std::uint64_t shared = sharing_.times();
    return promise_counted(slot, start_s, true) && job.start_s == job.withdrawn_s &&
           job.counted == was && shared == sharing_.times();
  }
  auto match = engine_.match_between(prepared(job), job.id, start_s, start_s + 1);
  if (!match) match = ask(Operation::allocate_orelse_reserve, job);
  if (match) note(slot, (*match)->start, (*match)->end);
  return false;
}

Promises::StartResult Promises::start(Slot slot) {
  const QueuedJob& job = jobs_[slot];
  std::optional<CountedUse> use;
  if (counting()) {
    const std::int64_t now_s = engine_.now();
    const NodeCounts::Need& need = counted_.need(job.kind);
    if (auto at = earliest(slot, now_s, now_s + 1)) {
      use = std::move(at->use);
    } else {
      StartResult answer = no(too_few(), now_s);
      const bool by_numbers = !counts().use(now_s, now_s + 1, need);
      answer.error.visits = by_numbers ? 0 : 1;
      answer.longer_too = by_numbers || !counts().sums_fit(now_s, now_s + duration_of(job), need);
      return answer;
    }
  }
  const auto match = use ? counted_.start(job, prepared(job), *use) : ask(Operation::allocate, job);
  return match ? begun(slot, *engine_.grant(job.id)) : no(match.error(), engine_.now());
}

Promises::StartResult Promises::promise(Slot slot) {
  const QueuedJob& job = jobs_[slot];
  if (!counting()) {
    const auto match = ask(Operation::allocate_orelse_reserve, job);
    if (!match) return no(match.error(), engine_.now());
    const Grant& grant = *engine_.grant(job.id);
    if (grant.start <= engine_.now()) return begun(slot, grant);
    note(slot, grant.start, grant.end);
    return {Outcome::promised, {}};
  }
  const std::int64_t now_s = engine_.now();
  auto at = earliest(slot, now_s, INT64_MAX);
  if (!at) return no(too_few(), engine_.now());
  if (at->start_s > now_s) {
    note(slot, at->start_s, at->end_s);
    counted_.add(jobs_[slot], std::move(at->use));
    return {Outcome::promised, {}};
  }
  const auto match = counted_.start(job, prepared(job), at->use);
  return match ? begun(slot, *engine_.grant(job.id)) : no(match.error(), engine_.now());
}

bool Promises::move_earlier(Slot slot) {
  QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::promised && counting());
  const NodeCounts::Start was{job.start_s, job.end_s, job.counted};
  auto to = counted_.mutable_counts().move_earlier(engine_.now(), was, duration_of(job),
                                                   engine_.options().horizon,
                                                   counted_.need(job.kind), sharing(slot));
  if (!to) return false;
  job.start_s = to->start_s;
  job.end_s = to->end_s;
  job.counted = std::move(to->use);
  note_moved(slot, was.start_s);
  return true;
}

bool Promises::move_earlier(Slot slot, std::int64_t from_s, std::int64_t before_s) {
  QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::promised && !counting());
  const std::int64_t old_s = job.start_s;
  from_s = std::max(from_s, engine_.now());
  before_s = std::min(before_s, old_s);
  if (from_s >= before_s) return false;
  const auto moved = engine_.move_earlier(job.id, prepared(job), from_s, before_s);
  if (!moved || !*moved) return false;
  job.start_s = engine_.grant(job.id)->start;
  job.end_s = engine_.grant(job.id)->end;
  note_moved(slot, old_s);
  return true;
}

void Promises::note_moved(Slot slot, std::int64_t old_s) {
  const QueuedJob& job = jobs_[slot];
  changed_.push_back(slot);
  due_.replace({old_s, job.position, slot}, {job.start_s, job.position, slot});
}

void Promises::reorder(Slot slot, const QueuePosition& position) {
  QueuedJob& job = jobs_[slot];
  due_.erase({job.start_s, job.position, slot});
  job.position = position;
  due_.insert({job.start_s, position, slot});
}

void Promises::drop(Slot slot) {
  QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::promised);
  due_.erase({job.start_s, job.position, slot});
  if (counting()) {
    counted_.remove(job);
  } else {
    [[maybe_unused]] const auto gone =
        engine_.cancel(job.id);  // no grant, if its nodes were removed from the machine
  }
  waits(job);
  changed_.push_back(slot);
}

void Promises::end(Slot slot) {
  const QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::running);
  if (counting()) counted_.remove_running(job);
  count_limits(job, false);
  --running_;
  ++running_changes_;
  if (engine_.grant(job.id) == nullptr) return;
  [[maybe_unused]] const auto cancelled = engine_.cancel(job.id);
  assert(cancelled);
}

Result<bool> Promises::end_part(Slot slot, const PoolChoice& pools) {
  QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::running);
  CountedUse use = job.counted;
  if (counting()) counted_.remove_running(job);
  auto gone = engine_.cancel_part(job.id, pools);
  if (!counting()) return gone;
  if (gone && *gone) {
    counted_.add(job, std::move(use));  // until end()
  } else {
    counted_.add_running(job);
  }
  return gone;
}

Result<void> Promises::set_end(Slot slot, std::int64_t end_s) {
  QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::running);
  const std::int64_t old_s = job.end_s;
  // Where no promise is in its way, the engine decides: a running job may overdraw layers.
  const bool longer = end_s > old_s && end_s <= engine_.options().horizon;
  const bool before_promises = due_.empty() || end_s <= std::get<0>(due_.front());
  if (counting() && longer && !before_promises && !counts().fits(old_s, end_s, job.counted)) {
    return std::unexpected(too_few());
  }
  if (auto ok = engine_.set_end(job.id, end_s); !ok) return ok;
  if (counting()) counted_.remove(job);
  job.end_s = end_s;
  ++running_changes_;
  if (counting()) counted_.add(job, job.counted);
  ends_.add(slot, running_);
  return {};
}

Slot Promises::start_due() {
  if (!any_due()) return kNoSlot;
  const Slot slot = std::get<2>(due_.front());
  QueuedJob& job = jobs_[slot];
  due_.erase(due_.front());
  if (!counting()) {
    if (engine_.grant(job.id) != nullptr) {
      runs(slot);  // its reservation became an allocation when the clock moved
    } else {
      waits(job);
    }
    return slot;
  }
  counted_.remove(job);
  const std::int64_t now_s = engine_.now();
  const auto use = counts().use(now_s, now_s + duration_of(job), counted_.need(job.kind));
  if (use && counted_.start(job, prepared(job), *use)) {
    (void)begun(slot, *engine_.grant(job.id));
  } else {
    waits(job);
  }
  return slot;
}

// --- The form of promises

bool Promises::choose_form() {
  counted_.forget_ended_outside();
  if (!counted_.possible()) {
    if (counting()) form().begin_pinning();
    return false;
  }
  // Without a change of groups, promises are counted, or there are too many groups.
  return counted_.groups_changed() && form().begin_counting();
}

void Promises::set_reserved(std::optional<std::vector<ReservedTime>> times) {
  if (!times && counting()) form().begin_pinning();
  counted_.set_reserved(std::move(times));
}

void Promises::forget_counts() {
  assert(due_.empty());
  counted_.end();
}

void Promises::machine_changed() {
  forget_counts();
  counted_.kinds_changed();
  (void)choose_form();
}

void Promises::count_again() {
  kinds_.count_again();
  machine_changed();
}

void Promises::recount() {
  const bool counted = counting();
  forget_counts();
  if (counted) (void)choose_form();
}

void Promises::check() const {
  due_.check();
  for ([[maybe_unused]] const auto& [start_s, position, slot] : due_) {
    assert(jobs_[slot].state == JobState::promised);
    assert(jobs_[slot].start_s == start_s && jobs_[slot].position == position);
  }
  if (counting()) counted_.check();
}

}  // namespace copse::queue
