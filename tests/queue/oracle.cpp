// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle.hpp"

#include <algorithm>
#include <utility>

namespace copse::queue_oracle {

namespace {

constexpr Time kMinute = 60;

}  // namespace

Oracle::Oracle(int nodes, int cores, Time horizon, std::vector<Line> lines, Rule rule)
    : machine_(nodes, horizon),
      lines_(std::move(lines)),
      priorities_(std::move(rule), nodes * cores),
      cores_(cores) {}

// --- Events

Job* Oracle::find(Id id) {
  const auto at = machine_.jobs.find(id);
  return at == machine_.jobs.end() || at->second.state == State::gone ? nullptr : &at->second;
}

bool Oracle::submit(Job job) {
  if (find(job.id) != nullptr) return false;
  if (job.nodes > std::ssize(job.allowed)) {
    ++denied_;
    return true;
  }
  job.arrival = arrivals_++;
  priorities_.seen(job.user);
  job.priority = priority_of(job);
  happened_ = happened_ || job.state == State::waiting;
  machine_.jobs[job.id] = job;
  return true;
}

// Denied if its user may not, or it takes longer than it lasts.
bool Oracle::submit_to(Job job, int reservation) {
  if (find(job.id) != nullptr) return false;
  job.reservation = machine_.reservations.find(reservation);
  if (job.reservation == 0) return false;
  const Booking& booking = machine_.reservations.all.at(job.reservation).booking;
  if ((booking.users >> job.user & 1) == 1 && job.duration <= booking.duration) return submit(job);
  ++denied_;
  return true;
}

// What was promised to it is given back.
void Oracle::leave_queue(Job& job) {
  if (job.state == State::held) return;
  if (job.state == State::promised) unpromise(job);
  job.stuck = false;
  happened_ = true;
}

bool Oracle::cancel(Id id) {
  Job* job = find(id);
  if (job == nullptr || job->state == State::running) return false;
  leave_queue(*job);
  job->state = State::gone;
  return true;
}

bool Oracle::hold(Id id) {
  Job* job = find(id);
  if (job == nullptr || job->state == State::running) return false;
  leave_queue(*job);
  job->state = State::held;
  return true;
}

bool Oracle::release(Id id) {
  Job* job = find(id);
  if (job == nullptr) return false;
  if (job->state != State::held) return true;
  job->state = State::waiting;
  job->priority = priority_of(*job);
  happened_ = true;
  return true;
}

// It keeps its promise, if its discipline lets it.
bool Oracle::set_priority(Id id, std::int64_t priority) {
  Job* job = find(id);
  if (job == nullptr || job->state == State::running) return false;
  if (job->given == priority) return true;
  job->given = priority;
  job->priority = priority_of(*job);
  job->stuck = false;
  happened_ = happened_ || job->state != State::held;
  return true;
}

bool Oracle::ended(Id id, Time at) {
  Job* job = find(id);
  if (job == nullptr || job->state != State::running) return false;
  if (std::max(at, machine_.now) < job->end) given_back_ = true;
  freed_ = happened_ = true;
  priorities_.ended(id, at);
  job->state = State::gone;
  return true;
}

bool Oracle::ended_part(Id id, std::int64_t nodes) {
  Job* job = find(id);
  if (job == nullptr || job->state != State::running) return false;
  job->on.erase(job->on.begin(), job->on.begin() + std::min(nodes, std::ssize(job->on)));
  if (job->on.empty()) return ended(id, machine_.now);
  if (machine_.now < job->end) given_back_ = true;
  freed_ = happened_ = true;
  return true;
}

// Nobody has more of a reservation than it has already.
bool Oracle::set_end(Id id, Time end) {
  Job* job = find(id);
  if (job == nullptr || job->state != State::running) return false;
  if (end <= machine_.now || end > machine_.horizon) return false;
  const bool reserved = std::ranges::any_of(
      job->on, [&](int node) { return machine_.reservations.has(node, job->end, end); });
  if (end > job->end && reserved) return false;
  run_until(*job, end);
  return true;
}

void Oracle::run_until(Job& job, Time end) {
  if (end > job.end && machine_.promised_away(job, end)) {
    for (Job* other : machine_.promised()) {
      if (other->start < end) unpromise(*other);
    }
  }
  if (end < job.end) freed_ = given_back_ = true;
  job.end = end;
  happened_ = true;
}

void Oracle::overrun(Time now) {
  if (now <= machine_.now) return;
  std::map<std::pair<Time, Id>, Job*> over;
  for (auto& [id, job] : machine_.jobs) {
    if (job.state == State::running && job.end <= now) over[{job.end, id}] = &job;
  }
  for (const auto& [at, job] : over) run_until(*job, std::min(now + kMinute, machine_.horizon));
}

// All promises are made anew.
void Oracle::set_up(int node, bool up) {
  for (Job* job : machine_.promised()) unpromise(*job);
  machine_.up[static_cast<std::size_t>(node)] = up;
  happened_ = freed_ = given_back_ = true;
}

void Oracle::advance(Time now) {
  overrun(now);
  machine_.now = now;
  happened_ = happened_ || priorities_due();
  if (!machine_.reservations.all.empty()) {
    std::vector<int> over;
    for (auto& [number, reservation] : machine_.reservations.all) {
      const auto past = [&](const ReservedTime& time) { return time.until <= machine_.now; };
      if (std::erase_if(reservation.times, past) > 0) freed_ = true;
      (void)book(reservation, false);
      if (reservation.times.empty()) over.push_back(number);
    }
    for (const int number : over) {
      strand(number);
      machine_.reservations.all.erase(number);
    }
    reservations_changed();
  }
  begin_due();
}

void Oracle::begin_due() {
  for (Job* job : machine_.promised()) {
    if (job->start > machine_.now) return;
    start(*job);
    happened_ = true;
  }
}

void Oracle::work() {
  while (happened_) {
    prioritize();
    nodes_or_numbers();
    begin_due();
    for (std::size_t line = 0; line < lines_.size(); ++line) take_back(line);
    if (freed_) {  // who was stuck may be promised something, and others then nothing
      for (auto& [id, job] : machine_.jobs) job.stuck = false;
      for (std::size_t line = 0; line < lines_.size(); ++line) take_back(line);
    }
    const bool earlier = given_back_;
    happened_ = freed_ = given_back_ = false;
    fill_reservations();
    for (bool moved = earlier; moved;) {
      moved = false;
      for (std::size_t line = 0; line < lines_.size(); ++line) moved = move_earlier(line) || moved;
    }
    for (std::size_t line = 0; line < lines_.size(); ++line) look(line);
  }
}

// --- Who waits

// --- Priorities

std::int64_t Oracle::priority_of(const Job& job) const {
  const auto cores = static_cast<double>(job.nodes * cores_);
  return priorities_.of({job.given, job.submit, cores, job.queue, job.user}, machine_.now);
}

bool Oracle::priorities_due() const {
  return machine_.anybody_waits() && priorities_.rule().moves() &&
         machine_.now >= prioritized_ + priorities_.rule().period;
}

// Of all that wait, but for those that wait for reservations.
void Oracle::prioritize() {
  if (!priorities_due()) return;
  prioritized_ = machine_.now;
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    for (Job* job : machine_.queue(line)) job->priority = priority_of(*job);
  }
}

std::size_t Oracle::promises_max(const Line& line) const {
  if (line.discipline == "fcfs") return 0;
  if (line.discipline == "easy") return 1;
  if (line.discipline == "hybrid") return line.reservations;
  return SIZE_MAX;
}

// --- Promises and starts

void Oracle::promise(Job& job, Time start) {
  job.start = start;
  job.end = machine_.end_of(job, start);
  if (!machine_.by_numbers) job.on = machine_.choose(job, job.start, job.end);
  job.state = State::promised;
}

void Oracle::unpromise(Job& job) {
  job.state = State::waiting;
  job.on.clear();
  freed_ = given_back_ = true;
}

void Oracle::start(Job& job) {
  job.start = machine_.now;
  job.end = machine_.end_of(job, machine_.now);
  if (job.on.empty()) job.on = machine_.choose(job, job.start, job.end);
  job.state = State::running;
  priorities_.started(job.id, job.user, static_cast<double>(job.nodes * cores_), machine_.now);
}

// --- Reservations

// Promises in its way are taken back. If `all`, nothing is done where there is no room; else it has
// no nodes then.
bool Oracle::book(Reservation& reservation, bool all) {
  std::vector<ReservedTime> made = reservation.to_book(machine_.now, machine_.horizon);
  for (ReservedTime& time : made) {
    time.nodes = machine_.room(reservation.booking, time);
    if (all && time.nodes.empty()) return false;
  }
  for (const ReservedTime& time : made) {
    for (Job* job : machine_.promised()) {
      const auto in_it = [&](int node) { return std::ranges::count(time.nodes, node) > 0; };
      if (time.at(job->start, job->end) && std::ranges::any_of(job->on, in_it)) unpromise(*job);
    }
    reservation.times.push_back(time);
  }
  return !reservation.times.empty();
}

void Oracle::reservations_changed() {
  happened_ = true;
  begin_due();
}

// Who waits for it never starts.
void Oracle::strand(int reservation) {
  for (auto& [id, job] : machine_.jobs) {
    if (job.reservation != reservation) continue;
    if (job.state != State::waiting && job.state != State::held) continue;
    job.state = State::gone;
    ++denied_;
  }
}

bool Oracle::reserve(const Booking& booking) {
  hold_nodes();
  begin_due();
  bool done = machine_.reservations.find(booking.name) == 0;
  if (done) {
    const int number = ++machine_.reservations.last;
    machine_.reservations.all[number].booking = booking;
    done = book(machine_.reservations.all.at(number), true);
    if (!done) machine_.reservations.all.erase(number);
  }
  reservations_changed();
  return done;
}

bool Oracle::change_reservation(const Booking& booking) {
  const int number = machine_.reservations.find(booking.name);
  bool done = number > 0;
  if (done) {
    Reservation& reservation = machine_.reservations.all.at(number);
    const Reservation old = std::exchange(reservation, {.booking = booking});
    done = book(reservation, true);
    if (!done) reservation = old;
  }
  reservations_changed();
  if (done) freed_ = given_back_ = true;
  return done;
}

bool Oracle::cancel_reservation(int name) {
  const int number = machine_.reservations.find(name);
  if (number == 0) return false;
  strand(number);
  machine_.reservations.all.erase(number);
  reservations_changed();
  freed_ = given_back_ = true;
  return true;
}

// Who waits for one that lasts starts on its nodes, if it ends in time.
void Oracle::fill_reservations() {
  for (const auto& [number, reservation] : machine_.reservations.all) {
    if (!reservation.lasts(machine_.now)) continue;
    const ReservedTime& time = reservation.times[0];
    for (Job* job : machine_.waiting_for(number)) {
      const Time end = job->duration == 0 ? time.until : machine_.now + job->duration;
      if (end > time.until) continue;
      const std::vector<int> on = machine_.choose_in(*job, time, end);
      if (on.empty()) continue;
      job->start = machine_.now;
      job->end = end;
      job->on = on;
      job->state = State::running;
      priorities_.started(job->id, job->user, static_cast<double>(job->nodes * cores_),
                          machine_.now);
    }
  }
}

// --- A pass

// Nodes are not alike while anybody asks for certain ones.
void Oracle::nodes_or_numbers() {
  const bool alike = machine_.reservations.all.empty() &&
                     std::ranges::none_of(machine_.jobs, [](const auto& entry) {
                       return entry.second.constrained && entry.second.state != State::gone;
                     });
  if (!alike) hold_nodes();
  if (!alike || machine_.by_numbers) return;
  machine_.by_numbers = true;
  for (Job* job : machine_.promised()) job->on.clear();
  freed_ = given_back_ = true;
}

void Oracle::hold_nodes() {
  if (!machine_.by_numbers) return;
  machine_.by_numbers = false;
  for (Job* job : machine_.promised()) job->on = machine_.choose(*job, job->start, job->end);
}

void Oracle::take_back(std::size_t line) {
  const Line& rules = lines_[line];
  std::size_t place = 0;
  for (Job* job : machine_.queue(line)) {
    if (job->stuck) continue;
    const bool first = place < promises_max(rules) && place < rules.depth;
    if (job->state == State::promised && !first) unpromise(*job);
    ++place;
  }
}

// Whether anybody did.
bool Oracle::move_earlier(std::size_t line) {
  bool moved = false;
  for (Job* job : machine_.queue(line)) {
    if (job->state != State::promised) continue;
    const Job was = *job;
    job->state = State::waiting;
    job->on.clear();
    const Time start_at = machine_.earliest(*job);
    if (start_at == machine_.now) {
      start(*job);
    } else if (start_at < was.start) {
      promise(*job, start_at);
    } else {
      *job = was;
      continue;
    }
    moved = true;
  }
  return moved;
}

void Oracle::look(std::size_t line) {
  const Line& rules = lines_[line];
  const std::vector<Job*> order = machine_.queue(line);
  std::size_t staying = 0;
  bool again = false;
  for (std::size_t n = 0; n < order.size(); ++n) {
    Job& job = *order[n];
    if (job.stuck) continue;
    if (staying >= rules.depth) return;
    if (rules.discipline != "fcfs" && staying >= promises_max(rules)) {
      if (again) return;  // who is first now is looked at before others may pass it
      fill({order.begin() + static_cast<std::ptrdiff_t>(n), order.end()}, rules.depth - staying);
      return;
    }
    if (job.state == State::promised) {
      ++staying;
    } else if (rules.discipline == "fcfs") {
      if (!machine_.fits(job, machine_.now)) return;
      start(job);
    } else if (const Time at = machine_.earliest(job); at == machine_.now) {
      start(job);
    } else if (at == kNever) {
      job.stuck = true;
    } else {
      promise(job, at);
      ++staying;
      // Those behind it may be too many now.
      const auto behind = order.begin() + static_cast<std::ptrdiff_t>(n + 1);
      again = again || std::any_of(behind, order.end(), [](const Job* other) {
                return other->state == State::promised;
              });
      happened_ = happened_ || again;
    }
  }
}

// Who is promised nothing starts if it fits beside all promises.
void Oracle::fill(const std::vector<Job*>& rest, std::size_t looks) {
  for (Job* job : rest) {
    if (job->stuck) continue;
    if (looks-- == 0) return;
    if (machine_.fits(*job, machine_.now)) start(*job);
  }
}

}  // namespace copse::queue_oracle
