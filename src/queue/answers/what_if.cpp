// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/what_if.hpp"

#include <algorithm>

namespace copse::queue {

QueueSimulation::QueueSimulation(const JobQueue& queue, StartCallback on_start)
    : engine_(queue.engine().clone()),
      queue_(queue.clone(*engine_, *this)),
      on_start_(std::move(on_start)) {
  const QueueView view = queue_->view();
  for (const auto& [id, slot] : view.jobs.slots()) {
    const QueuedJob& job = view.jobs[slot];
    if (job.state == JobState::running) ends_.emplace(job.end_s, id);
  }
}

void QueueSimulation::started(JobId job, const Grant& grant) {
  starts_.emplace(job, grant.start);
  ends_.emplace(grant.end, job);
  if (on_start_) on_start_(grant);
}

// True: no decision is left for now.
bool QueueSimulation::pass(WorkBudget& budget) {
  WorkBudget slice = budget;
  slice.jobs = std::min(budget.jobs, left_.jobs);
  const std::uint64_t may = slice.jobs;
  const bool done = queue_->work(slice);
  const std::uint64_t examined = may - slice.jobs;
  left_.jobs -= examined;
  budget.jobs -= examined;
  return done;
}

bool QueueSimulation::work(WorkBudget& budget) {
  while (complete()) {
    if (!pass(budget)) {
      if (left_.jobs > 0) return false;
      break;
    }
    if (queue_->waiting() == 0 || !step()) break;
    --left_.events;
    if (budget.spend()) return false;
  }
  return true;
}

bool QueueSimulation::step() {
  auto next_s = queue_->next_time();
  if (!ends_.empty()) next_s = std::min(next_s.value_or(INT64_MAX), ends_.top().first);
  if (!next_s || *next_s >= engine_->options().horizon) return false;
  // Jobs that already overran end at once.
  const std::int64_t now_s = std::max(*next_s, engine_->now());
  for (; !ends_.empty() && ends_.top().first <= now_s; ends_.pop()) {
    [[maybe_unused]] const auto ended = queue_->ended(ends_.top().second, now_s);
  }
  return queue_->advance(now_s).has_value();
}

Result<WhatIf> WhatIf::make(const JobQueue& queue, const Change& change) {
  WhatIf out;
  out.after_ = std::make_unique<QueueSimulation>(queue);
  if (auto ok = change(out.after_->queue()); !ok) return std::unexpected(ok.error());
  out.before_ = std::make_unique<QueueSimulation>(queue);
  return out;
}

std::vector<WhatIf::Moved> WhatIf::moved() const {
  std::vector<Moved> out;
  for (const auto& [job, start_s] : before_->starts()) {
    const auto after = after_->starts().find(job);
    if (after == after_->starts().end()) {
      out.push_back({job, start_s, std::nullopt});
    } else if (after->second != start_s) {
      out.push_back({job, start_s, after->second});
    }
  }
  for (const auto& [job, start_s] : after_->starts()) {
    if (!before_->starts().contains(job)) out.push_back({job, std::nullopt, start_s});
  }
  std::ranges::sort(out, {}, &Moved::job);
  return out;
}

}  // namespace copse::queue
