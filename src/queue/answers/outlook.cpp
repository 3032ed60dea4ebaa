// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/outlook.hpp"

#include <algorithm>

namespace copse::queue {

Outlook::Outlook(const JobQueue& queue)
    : of_(queue.sequence()),
      now_s_(queue.p_.engine.now()),
      horizon_s_(queue.p_.engine.options().horizon) {
  const Promises& promises = queue.p_.promises;
  for (const auto& line : queue.p_.lines) {
    std::size_t ahead = 0;
    for (const Waiter& waiter : line->order()) {
      const QueuedJob& job = queue.p_.jobs[waiter.slot];
      Waiting made{job.id,         job.kind, ahead++,          queue.p_.kinds[job.kind].nodes,
                   job.duration_s, {},       line->in_order(), line->stopped()};
      if (job.state == JobState::promised) made.promised_s = job.start_s;
      if (!promises.counting()) prepared_.try_emplace(job.kind);
      waiting_.push_back(made);
    }
  }
  if (promises.counting()) {
    counts_.emplace(promises.counts().usable());
    for (const auto& [id, slot] : queue.p_.jobs.slots()) {
      const QueuedJob& job = queue.p_.jobs[slot];
      if (job.state != JobState::running && job.state != JobState::promised) continue;
      if (job.end_s > now_s_) counts_->add(std::max(job.start_s, now_s_), job.end_s, job.counted);
    }
    return;
  }
  engine_ = queue.p_.engine.clone();
  for (auto& [kind, request] : prepared_) {
    // It was compiled for the same machine before.
    if (auto made = engine_->prepare(queue.p_.kinds.request(kind))) request = std::move(*made);
  }
}

bool Outlook::work(Slice& slice) {
  while (next_ < waiting_.size()) {
    const Waiting& waiting = waiting_[next_++];
    if (waiting.ahead == 0) last_start_s_ = now_s_;
    Entry entry{waiting.job, waiting.ahead, waiting.promised_s};
    if (!entry.start_s && !waiting.stopped)
      entry.start_s = place(waiting, waiting.in_order ? last_start_s_ : now_s_);
    last_start_s_ = std::max(last_start_s_, entry.start_s.value_or(now_s_));
    places_.emplace(waiting.job, entries_.size());
    entries_.push_back(entry);
    if (next_ < waiting_.size() && slice.spent()) return false;
  }
  return true;
}

const Outlook::Entry* Outlook::find(JobId job) const {
  const auto at = places_.find(job);
  return at == places_.end() ? nullptr : &entries_[at->second];
}

std::optional<std::int64_t> Outlook::place(const Waiting& waiting, std::int64_t from_s) {
  if (counts_) return count(waiting, from_s);
  PreparedRequest& request = prepared_.at(waiting.kind);
  request.set_duration(std::min(waiting.duration_s, horizon_s_ - now_s_));
  const auto match = engine_->match_between(request, waiting.job, from_s, horizon_s_);
  if (!match) return std::nullopt;
  return (*match)->start;
}

std::optional<std::int64_t> Outlook::count(const Waiting& waiting, std::int64_t from_s) {
  const std::int64_t asked_s = std::min(waiting.duration_s, horizon_s_ - now_s_);
  const auto start_s = counts_->earliest(from_s, asked_s, horizon_s_, waiting.nodes);
  if (start_s) {
    counts_->add(*start_s, *start_s + std::min(asked_s, horizon_s_ - *start_s), waiting.nodes);
  }
  return start_s;
}

}  // namespace copse::queue
