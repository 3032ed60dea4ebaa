// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle/plan.hpp"

#include <algorithm>
#include <utility>

namespace copse::queue_oracle {

Plan::Plan(Machine on, Rule rule)
    : machine(std::move(on)),
      priorities(std::move(rule), static_cast<double>(std::ssize(machine.up) * machine.cores)) {}

// --- Promises and starts

void Plan::take_others(const Found& found) {
  for (const auto& [id, share] : found.others) {
    machine.jobs.at(id).in_group = share.in_group;
    machine.jobs.at(id).drawn = share.drawn;
  }
}

void Plan::promise(Job& job, const Found& found) {
  take_others(found);
  job.start = found.at;
  job.end = machine.end_of(job, job.start);
  if (machine.by_numbers) {
    job.in_group = found.own->in_group;
    job.drawn = found.own->drawn;
  } else {
    const Choice choice = machine.choose(job, job.start, job.end);
    job.on = choice.on;
    job.drawn = choice.drawn;
  }
  job.state = State::promised;
}

void Plan::unpromise(Job& job) {
  job.state = State::waiting;
  job.on.clear();
  job.drawn.clear();
  job.in_group.clear();
  freed = given_back = true;
}

void Plan::displace(const std::function<bool(const Job&)>& conflicts) {
  const auto earlier = [](const Job* a, const Job* b) {
    return a->waiting_queue != b->waiting_queue ? a->waiting_queue < b->waiting_queue
                                                : before(*a, *b);
  };
  std::vector<Job*> order = machine.promised();
  std::ranges::sort(order, earlier);
  auto at = std::ranges::find_if(order, [&](const Job* job) { return conflicts(*job); });
  for (; at != order.end(); ++at) {
    (*at)->taken_back = (*at)->start;
    (*at)->given_numbers = (*at)->in_group;
    const bool was = given_back;
    unpromise(**at);
    given_back = was;
    happened = true;
  }
}

bool Plan::any_taken_back() const {
  return std::ranges::any_of(machine.jobs,
                             [](const auto& entry) { return entry.second.taken_back != kNever; });
}

void Plan::restore() {
  std::vector<Job*> order;
  for (auto& [id, job] : machine.jobs) {
    if (job.taken_back != kNever) order.push_back(&job);
  }
  std::ranges::sort(order, [](const Job* a, const Job* b) {
    return a->waiting_queue != b->waiting_queue ? a->waiting_queue < b->waiting_queue
                                                : before(*a, *b);
  });
  for (Job* job : order) {
    const Time was = std::exchange(job->taken_back, kNever);
    if (job->state != State::waiting) continue;
    const Time wish = std::max(was, machine.now);
    Found found = find_start(machine, *job, wish, wish + 1);
    if (found.at == kNever) found = find_start(machine, *job, machine.now, machine.horizon);
    const std::vector<std::int64_t> numbers = job->given_numbers;
    if (found.at != kNever) promise(*job, found);
    if (found.at != was || found.shared || !machine.by_numbers || job->in_group != numbers)
      given_back = true;
  }
}

void Plan::start(Job& job) {
  const Time end = machine.end_of(job, machine.now);
  if (!job.on.empty()) {
    start_on(job, end, Choice{job.on, job.drawn});
  } else if (machine.by_numbers && machine.groups.order(job.allowed).size() > 1) {
    job.state = State::waiting;  // its promise does not prevent it
    start_with(job, *machine.share(job, machine.now, end));
  } else {
    job.state = State::waiting;
    start_on(job, end, machine.choose(job, machine.now, end));
  }
}

void Plan::start(Job& job, const Found& found) {
  take_others(found);
  if (found.own && machine.groups.order(job.allowed).size() > 1) {
    start_with(job, *found.own);
  } else {
    start(job);
  }
}

void Plan::start_with(Job& job, const Share& share) {
  const Time end = machine.end_of(job, machine.now);
  Job only = job;
  only.allowed = machine.nodes_for(share);
  start_on(job, end, machine.choose(only, machine.now, end));
}

void Plan::start_on(Job& job, Time end, Choice choice) {
  job.start = machine.now;
  job.end = job.limit = end;
  job.on = std::move(choice.on);
  job.drawn = std::move(choice.drawn);
  job.state = State::running;
  priorities.started(job.id, job.user, static_cast<double>(cores_of(job)), machine.now);
}

void Plan::begin_due() {
  for (Job* job : machine.promised()) {
    if (job->start > machine.now) return;
    start(*job);
    happened = true;
  }
}

// --- Whether promises are pinned to units

// Numbers decide while all jobs request whole nodes, and all occurrences of reservations are booked.
void Plan::units_or_numbers() {
  const bool numbers = reserved && std::ranges::all_of(machine.jobs, [&](const auto& entry) {
                         return entry.second.by_numbers(machine.cores) ||
                                entry.second.state == State::gone || entry.second.outside;
                       });
  if (!numbers) hold_units();
  if (!numbers || (machine.by_numbers && !groups_changed)) return;
  std::vector<std::vector<int>> nodes;
  if (machine.by_numbers && machine.groups.cap_power > 0) hold_units();
  if (machine.by_numbers) {
    nodes = machine.nodes_of_promises();
  } else {
    for (const Job* job : machine.promised()) {
      const std::set<int> on = machine.nodes_of(*job);
      nodes.emplace_back(on.begin(), on.end());
    }
  }
  machine.by_numbers = true;
  groups_changed = false;
  machine.make_groups();
  std::size_t n = 0;
  for (Job* job : machine.promised()) {
    Share share = machine.share_of(*job, nodes[n++]);
    job->on.clear();
    job->in_group = std::move(share.in_group);
    job->drawn = std::move(share.drawn);
  }
  freed = given_back = true;
}

void Plan::hold_units() {
  if (!machine.by_numbers) return;
  const bool several = machine.groups.all.size() > 1 || !machine.groups.all[0].reserved.empty();
  std::vector<std::vector<int>> nodes;
  if (several && machine.groups.cap_power == 0) nodes = machine.nodes_of_promises();
  machine.by_numbers = false;
  for (Job* job : machine.promised()) {
    job->in_group.clear();
    job->drawn.clear();
  }
  std::size_t n = 0;
  for (Job* job : machine.promised()) {
    Job only = *job;
    if (!nodes.empty()) only.allowed = nodes[n++];
    const Choice choice = machine.choose(only, job->start, job->end);
    job->on = choice.on;
    job->drawn = choice.drawn;
  }
}

// Times that are over change nothing.
void Plan::reservations_changed() {
  std::optional<std::vector<ReservedTime>> times(std::in_place);
  for (const auto& [number, reservation] : machine.reservations.all) {
    if (reservation.more(machine.horizon)) times.reset();
    if (!times) break;
    times->insert(times->end(), reservation.times.begin(), reservation.times.end());
  }
  const auto over = [&](const ReservedTime& time) { return time.until <= machine.now; };
  if (reserved) std::erase_if(*reserved, over);
  if (times == reserved) return;
  reserved = times;
  groups_changed = true;
  if (!reserved) hold_units();
}

// --- Priorities

std::int64_t Plan::cores_of(const Job& job) const {
  return job.nodes > 0 ? job.nodes * machine.cores : job.slots * job.cores;
}

std::int64_t Plan::priority_of(const Job& job) const {
  const auto cores = static_cast<double>(cores_of(job));
  return priorities.of({job.given, job.submit, cores, job.queue, job.user}, machine.now);
}

bool Plan::priorities_due() const {
  return machine.anybody_waits() && priorities.rule().moves() &&
         machine.now >= prioritized + priorities.rule().period;
}

// Of all waiting jobs, except those that wait for reservations.
void Plan::prioritize(std::size_t queues) {
  if (!priorities_due()) return;
  prioritized = machine.now;
  for (std::size_t queue = 0; queue < queues; ++queue) {
    for (Job* job : machine.in_order(queue)) job->priority = priority_of(*job);
  }
}

}  // namespace copse::queue_oracle
