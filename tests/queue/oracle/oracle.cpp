// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle/oracle.hpp"

#include <algorithm>
#include <utility>

namespace copse::queue_oracle {

namespace {

constexpr Time kLateLeast = 2, kMinute = 60;

}  // namespace

Oracle::Oracle(Machine machine, std::vector<QueueRules> queues, Rule rule)
    : plan_(std::move(machine), std::move(rule)), queues_(std::move(queues)) {}

// --- Events

Job* Oracle::find(Id id) {
  const auto at = plan_.machine.jobs.find(id);
  return at == plan_.machine.jobs.end() || at->second.state == State::gone ? nullptr : &at->second;
}

bool Oracle::submit(Job job) {
  catch_up();
  if (find(job.id) != nullptr) return false;
  if (!plan_.machine.fits_empty(job)) {
    ++denied_;
    return true;
  }
  job.arrival = arrivals_++;
  plan_.priorities.seen(job.user);
  job.priority = plan_.priority_of(job);
  plan_.happened = plan_.happened || job.state == State::waiting;
  plan_.machine.jobs[job.id] = job;
  if (plan_.machine.by_numbers && job.by_numbers(plan_.machine.cores) && !plan_.machine.knows(job))
    plan_.groups_changed = true;
  return true;
}

// Denied if its user is not admitted, it is longer than the reservation, or its nodes could never
// serve it.
bool Oracle::submit_to(Job job, int reservation) {
  catch_up();
  if (find(job.id) != nullptr) return false;
  job.reservation = plan_.machine.reservations.find(reservation);
  if (job.reservation == 0) return false;
  const Reservation& named = plan_.machine.reservations.all.at(job.reservation);
  const Booking& booking = named.booking;
  Job inside = job;
  const std::vector<int>& nodes = named.times.front().nodes;
  std::erase_if(inside.allowed,
                [&](int node) { return std::ranges::find(nodes, node) == nodes.end(); });
  const bool never = !nodes.empty() && !plan_.machine.fits_empty(inside);
  const bool may = (booking.users >> job.user & 1) == 1 && job.duration <= booking.duration;
  if (may && !never) return submit(job);
  ++denied_;
  return true;
}

// Its promise is revoked.
void Oracle::leave_queue(Job& job) {
  if (job.state == State::held) return;
  if (job.state == State::promised) plan_.unpromise(job);
  if (std::exchange(job.taken_back, kNever) != kNever) plan_.freed = plan_.given_back = true;
  job.unplaceable = false;
  plan_.happened = true;
}

bool Oracle::cancel(Id id) {
  catch_up();
  Job* job = find(id);
  if (job == nullptr || job->state == State::running) return false;
  leave_queue(*job);
  job->state = State::gone;
  return true;
}

bool Oracle::hold(Id id) {
  catch_up();
  Job* job = find(id);
  if (job == nullptr || job->state == State::running) return false;
  leave_queue(*job);
  job->state = State::held;
  return true;
}

bool Oracle::release(Id id) {
  catch_up();
  Job* job = find(id);
  if (job == nullptr) return false;
  if (job->state != State::held) return true;
  job->state = State::waiting;
  job->priority = plan_.priority_of(*job);
  plan_.happened = true;
  return true;
}

// It keeps its promise, if its discipline gives it one.
bool Oracle::set_priority(Id id, std::int64_t priority) {
  catch_up();
  Job* job = find(id);
  if (job == nullptr || job->state == State::running) return false;
  if (job->given == priority) return true;
  job->given = priority;
  job->priority = plan_.priority_of(*job);
  job->unplaceable = false;
  plan_.happened = plan_.happened || job->state != State::held;
  return true;
}

bool Oracle::ended(Id id, Time at) {
  Job* job = find(id);
  if (job == nullptr || job->state != State::running || job->outside) return false;
  if (std::max(at, plan_.machine.now) < job->end) plan_.given_back = true;
  plan_.freed = plan_.happened = true;
  plan_.priorities.ended(id, at);
  job->state = State::gone;
  if (told_ && late_by(*told_).empty()) catch_up();
  return true;
}

bool Oracle::ended_part(Id id, std::int64_t nodes) {
  Job* job = find(id);
  if (job == nullptr || job->state != State::running) return false;
  for (const int node : plan_.machine.nodes_of(*job)) {
    if (nodes-- <= 0) break;
    for (const int unit : plan_.machine.units_of(node)) job->on.erase(unit);
    plan_.machine.layers.give_back(job->drawn, node, job->power);
  }
  if (job->on.empty()) return ended(id, plan_.machine.now);
  if (plan_.machine.now < job->end) plan_.given_back = true;
  plan_.freed = plan_.happened = true;
  return true;
}

// No job gets more of a reservation than it already has.
bool Oracle::set_end(Id id, Time end) {
  catch_up();
  Job* job = find(id);
  if (job == nullptr || job->state != State::running) return false;
  if (end <= plan_.machine.now || end > plan_.machine.horizon) return false;
  const bool reserved = std::ranges::any_of(plan_.machine.nodes_of(*job), [&](int node) {
    return plan_.machine.reservations.has(node, job->end, end);
  });
  if (end > job->end && reserved) return false;
  run_until(*job, end);
  job->limit = end;
  return true;
}

void Oracle::run_until(Job& job, Time end) {
  if (end > job.end && plan_.machine.promised_away(job, end))
    plan_.displace([end](const Job& other) { return other.start < end; });
  if (end < job.end) plan_.freed = plan_.given_back = true;
  job.end = end;
  plan_.happened = true;
}

std::map<std::pair<Time, Id>, Job*> Oracle::late_by(Time now) {
  std::map<std::pair<Time, Id>, Job*> out;
  for (auto& [id, job] : plan_.machine.jobs) {
    if (job.state == State::running && job.end <= now && !job.outside) out[{job.end, id}] = &job;
  }
  return out;
}

void Oracle::overrun(Time now) {
  if (now <= plan_.machine.now) return;
  for (const auto& [at, job] : late_by(now)) {
    const Time more = std::clamp(2 * (now - job->limit), kLateLeast, kMinute);
    run_until(*job, std::min(now + more, plan_.machine.horizon));
  }
}

// All promises are made again.
void Oracle::set_up(int node, bool up) {
  catch_up();
  for (Job* job : plan_.machine.promised()) plan_.unpromise(*job);
  plan_.machine.up[static_cast<std::size_t>(node)] = up;
  plan_.groups_changed = true;
  if (plan_.machine.by_numbers) plan_.units_or_numbers();
  plan_.happened = plan_.freed = plan_.given_back = true;
}

// No job of a stopped queue starts, or is promised a start.
void Oracle::set_stopped(std::size_t queue, bool stopped) {
  catch_up();
  if (queues_[queue].stopped == stopped) return;
  queues_[queue].stopped = stopped;
  for (Job* job : plan_.machine.promised()) {
    if (job->waiting_queue == queue) plan_.unpromise(*job);
  }
  plan_.happened = plan_.freed = plan_.given_back = true;
}

void Oracle::set_discipline(std::size_t queue, QueueRules rules) {
  catch_up();
  rules.stopped = queues_[queue].stopped;
  queues_[queue] = std::move(rules);
  for (Job* job : plan_.machine.in_order(queue))
    job->unplaceable = false;  // the new discipline decides about all
  plan_.happened = true;
}

void Oracle::work() {
  catch_up();
  Pass(plan_, queues_).run();
}

void Oracle::advance(Time now) {
  if (told_ == now) return;
  catch_up();
  told_ = now;
  if (now <= plan_.machine.now || late_by(now).empty()) catch_up();
}

void Oracle::catch_up() {
  if (told_) move_clock(*std::exchange(told_, {}));
}

// Jobs that are due start when the queue works, or when the clock moves on.
void Oracle::move_clock(Time now) {
  if (now > plan_.machine.now) plan_.begin_due();
  overrun(now);
  plan_.machine.now = now;
  plan_.happened = plan_.happened || plan_.priorities_due();
  if (!plan_.machine.reservations.all.empty()) {
    std::vector<int> over;
    for (auto& [number, reservation] : plan_.machine.reservations.all) {
      const auto past = [&](const ReservedTime& time) { return time.until <= plan_.machine.now; };
      if (std::erase_if(reservation.times, past) > 0) plan_.freed = true;
      (void)book(reservation, false);
      if (reservation.times.empty()) over.push_back(number);
    }
    for (const int number : over) {
      orphan_jobs(number);
      plan_.machine.reservations.all.erase(number);
    }
    reservations_changed();
  }
  for (auto& [id, job] : plan_.machine.jobs) {
    if (!job.outside || job.state != State::running || job.end > now) continue;
    job.state = State::gone;
    plan_.machine.groups.outside.erase(id);
    plan_.freed = plan_.happened = true;
  }
  const std::vector<Job*> promised = plan_.machine.promised();
  if (!promised.empty() && promised.front()->start <= now) plan_.happened = true;
}

// --- Grants outside the queue

// By numbers, others keep what they need if these nodes are no more than they leave. If that does not
// tell, promises get units first.
bool Oracle::grant(Job job, bool later) {
  catch_up();
  Machine& machine = plan_.machine;
  if (find(job.id) != nullptr) {
    if (!machine.by_numbers) plan_.begin_due();
    return false;
  }
  job.outside = true;
  job.state = State::running;
  const auto take = [&](Choice choice, Time at) {
    job.start = at;
    job.end = job.limit = machine.end_of(job, at);
    job.on = std::move(choice.on);
    job.drawn = std::move(choice.drawn);
  };
  const Time end = machine.end_of(job, machine.now);
  // Where no promise needs units, a grant that is refused leaves the groups as they are.
  const bool may_stay = machine.by_numbers && machine.promised().empty();
  if (machine.by_numbers) {
    Choice choice = machine.choose(job, machine.now, end);
    if (choice.on.empty() && !later) return false;
    if (!choice.on.empty()) {
      take(std::move(choice), machine.now);
      if (machine.numbers_allow(job)) {
        machine.jobs[job.id] = job;
        return true;
      }
    }
    if (!machine.promised().empty()) plan_.happened = true;
    plan_.hold_units();
  }
  plan_.begin_due();
  job.on.clear();
  const Found found =
      find_start(machine, job, machine.now, later ? machine.horizon : machine.now + 1);
  if (found.at == kNever) {
    machine.by_numbers = machine.by_numbers || may_stay;
    return false;
  }
  take(machine.choose(job, found.at, machine.end_of(job, found.at)), found.at);
  machine.jobs[job.id] = job;
  plan_.groups_changed = true;
  return true;
}

bool Oracle::release_grant(Id id) {
  catch_up();
  Job* job = find(id);
  if (job == nullptr || !job->outside) return false;
  if (plan_.machine.groups.outside.erase(id) > 0) plan_.groups_changed = true;
  job->state = State::gone;
  plan_.freed = plan_.given_back = plan_.happened = true;
  return true;
}

// --- Reservations

// Conflicting promises are revoked. If `all`, nothing is done if nodes are not available; else the
// occurrence has no nodes then.
bool Oracle::book(Reservation& reservation, bool all) {
  std::vector<ReservedTime> made = reservation.to_book(plan_.machine.now, plan_.machine.horizon);
  for (ReservedTime& time : made) {
    time.nodes = plan_.machine.room(reservation.booking, time);
    if (all && time.nodes.empty()) return false;
  }
  for (const ReservedTime& time : made) {
    plan_.displace([&](const Job& job) {
      const auto in_it = [&](int node) { return std::ranges::count(time.nodes, node) > 0; };
      return time.at(job.start, job.end) && std::ranges::any_of(plan_.machine.nodes_of(job), in_it);
    });
    reservation.times.push_back(time);
  }
  return !reservation.times.empty();
}

void Oracle::reservations_changed() {
  plan_.happened = true;
  plan_.reservations_changed();
  plan_.begin_due();
}

// Jobs that wait for it never start.
void Oracle::orphan_jobs(int reservation) {
  for (auto& [id, job] : plan_.machine.jobs) {
    if (job.reservation != reservation) continue;
    if (job.state != State::waiting && job.state != State::held) continue;
    job.state = State::gone;
    ++denied_;
  }
}

bool Oracle::reserve(const Booking& booking) {
  catch_up();
  plan_.hold_units();
  plan_.begin_due();
  bool done = plan_.machine.reservations.find(booking.name) == 0;
  if (done) {
    const int number = ++plan_.machine.reservations.last;
    plan_.machine.reservations.all[number].booking = booking;
    done = book(plan_.machine.reservations.all.at(number), true);
    if (!done) plan_.machine.reservations.all.erase(number);
  }
  reservations_changed();
  return done;
}

bool Oracle::change_reservation(const Booking& booking) {
  catch_up();
  plan_.hold_units();
  plan_.begin_due();
  const int number = plan_.machine.reservations.find(booking.name);
  bool done = number > 0;
  if (done) {
    Reservation& reservation = plan_.machine.reservations.all.at(number);
    const Reservation old = std::exchange(reservation, {.booking = booking});
    done = book(reservation, true);
    if (!done) reservation = old;
  }
  reservations_changed();
  if (done) plan_.freed = plan_.given_back = true;
  return done;
}

bool Oracle::cancel_reservation(int name) {
  catch_up();
  const int number = plan_.machine.reservations.find(name);
  if (number == 0) return false;
  orphan_jobs(number);
  plan_.machine.reservations.all.erase(number);
  reservations_changed();
  plan_.freed = plan_.given_back = true;
  return true;
}

}  // namespace copse::queue_oracle
