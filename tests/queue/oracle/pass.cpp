// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle/pass.hpp"

#include <algorithm>

namespace copse::queue_oracle {

std::size_t QueueRules::promises_max() const {
  if (discipline == "fcfs") return 0;
  if (discipline == "easy") return 1;
  if (discipline == "hybrid") return reservations;
  return SIZE_MAX;
}

void Pass::run() {
  while (plan_.happened) {
    if (plan_.any_taken_back()) {
      for (std::size_t queue = 0; queue < queues_.size(); ++queue) take_back(queue);
      plan_.begin_due();
      plan_.units_or_numbers();
      plan_.restore();
    }
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) take_back(queue);
    plan_.begin_due();
    plan_.prioritize(queues_.size());
    plan_.units_or_numbers();
    plan_.begin_due();
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) take_back(queue);
    if (plan_.freed) {  // unplaceable jobs may get promises, and others then none
      for (auto& [id, job] : plan_.machine.jobs) job.unplaceable = false;
      for (std::size_t queue = 0; queue < queues_.size(); ++queue) take_back(queue);
    }
    const bool earlier = plan_.given_back;
    plan_.happened = plan_.freed = plan_.given_back = false;
    fill_reservations();
    for (bool moved = earlier; moved;) {
      moved = false;
      for (std::size_t queue = 0; queue < queues_.size(); ++queue)
        moved = move_earlier(queue) || moved;
    }
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) look(queue);
  }
}

// A job that waits for an active reservation starts on its nodes, if it ends in time.
void Pass::fill_reservations() {
  for (const auto& [number, reservation] : plan_.machine.reservations.all) {
    if (!reservation.lasts(plan_.machine.now)) continue;
    const ReservedTime& time = reservation.times[0];
    for (Job* job : plan_.machine.waiting_for(number)) {
      if ((reservation.booking.users >> job->user & 1) == 0)
        continue;  // since the reservation was changed
      const Time end = job->duration == 0 ? time.until : plan_.machine.now + job->duration;
      if (end > time.until) continue;
      if (!plan_.machine.layers_serve(*job, time, end)) continue;
      const Choice choice = plan_.machine.choose_in(*job, time, end);
      if (!choice.on.empty()) plan_.start_on(*job, end, choice);
    }
  }
}

Found Pass::find_now(const Job& job) const {
  return find_start(plan_.machine, job, plan_.machine.now, plan_.machine.now + 1);
}

void Pass::take_back(std::size_t queue) {
  const QueueRules& rules = queues_[queue];
  std::size_t place = 0;
  for (Job* job : plan_.machine.in_order(queue)) {
    if (job->unplaceable) continue;
    const bool first = place < rules.promises_max() && place < rules.looks();
    if (job->state == State::promised && !first) plan_.unpromise(*job);
    ++place;
  }
}

// Returns whether any promise moved.
bool Pass::move_earlier(std::size_t queue) {
  bool moved = false;
  for (Job* job : plan_.machine.in_order(queue)) {
    if (job->state != State::promised) continue;
    const Job was = *job;
    job->state = State::waiting;
    job->on.clear();
    job->drawn.clear();
    job->in_group.clear();
    const Found found = find_start(plan_.machine, *job, plan_.machine.now, was.start);
    if (found.at == plan_.machine.now) {
      plan_.take_others(found);
      plan_.start(*job);
    } else if (found.at != kNever) {
      plan_.promise(*job, found);
    } else {
      *job = was;
      continue;
    }
    moved = true;
  }
  return moved;
}

void Pass::look(std::size_t queue) {
  const QueueRules& rules = queues_[queue];
  if (rules.stopped) return;
  const std::vector<Job*> order = plan_.machine.in_order(queue);
  std::size_t staying = 0;
  bool again = false;
  for (std::size_t n = 0; n < order.size(); ++n) {
    Job& job = *order[n];
    if (job.unplaceable) continue;
    if (staying >= rules.looks()) return;
    if (rules.discipline != "fcfs" && staying >= rules.promises_max()) {
      if (again) return;  // the new first job is examined before others may overtake it
      fill({order.begin() + static_cast<std::ptrdiff_t>(n), order.end()}, rules.looks() - staying);
      return;
    }
    if (job.state == State::promised) {
      ++staying;
    } else if (rules.discipline == "fcfs") {
      const Found found = find_now(job);
      if (found.at == kNever) return;
      plan_.start(job, found);
    } else if (const Found found =
                   find_start(plan_.machine, job, plan_.machine.now, plan_.machine.horizon);
               found.at == plan_.machine.now) {
      plan_.start(job, found);
    } else if (found.at == kNever) {
      job.unplaceable = true;
    } else {
      plan_.promise(job, found);
      ++staying;
      // There may be too many promises behind it now.
      const auto behind = order.begin() + static_cast<std::ptrdiff_t>(n + 1);
      again = again || std::any_of(behind, order.end(), [](const Job* other) {
                return other->state == State::promised;
              });
      plan_.happened = plan_.happened || again;
    }
  }
}

// A job without a promise starts if it fits next to all promises, and then does not count for the
// depth.
void Pass::fill(const std::vector<Job*>& rest, std::size_t looks) {
  for (Job* job : rest) {
    if (job->unplaceable) continue;
    if (looks == 0) return;
    if (const Found found = find_now(*job); found.at != kNever) {
      plan_.start(*job, found);
    } else {
      --looks;
    }
  }
}

}  // namespace copse::queue_oracle
