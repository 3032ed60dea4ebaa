// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle/plan.hpp"

#include <algorithm>
#include <utility>

namespace copse::queue_oracle {

Plan::Plan(Machine on, Rule rule)
    : machine(std::move(on)),
      priorities(std::move(rule), static_cast<double>(std::ssize(machine.up) * machine.cores)) {}

// --- Promises and starts

void Plan::promise(Job& job, Time start) {
  job.start = start;
  job.end = machine.end_of(job, start);
  if (!machine.by_numbers) {
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
  freed = given_back = true;
}

void Plan::start(Job& job) {
  const Time end = machine.end_of(job, machine.now);
  start_on(job, end,
           job.on.empty() ? machine.choose(job, machine.now, end) : Choice{job.on, job.drawn});
}

void Plan::start_on(Job& job, Time end, Choice choice) {
  job.start = machine.now;
  job.end = end;
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

// Nodes are not interchangeable while a job requests certain ones, parts of them, or layers.
void Plan::units_or_numbers() {
  const bool alike =
      machine.reservations.all.empty() && std::ranges::none_of(machine.jobs, [](const auto& entry) {
        return !entry.second.plain() && entry.second.state != State::gone;
      });
  if (!alike) hold_units();
  if (!alike || machine.by_numbers) return;
  machine.by_numbers = true;
  for (Job* job : machine.promised()) job->on.clear();
  freed = given_back = true;
}

void Plan::hold_units() {
  if (!machine.by_numbers) return;
  machine.by_numbers = false;
  for (Job* job : machine.promised()) {
    const Choice choice = machine.choose(*job, job->start, job->end);
    job->on = choice.on;
    job->drawn = choice.drawn;
  }
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
