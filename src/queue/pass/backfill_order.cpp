// SPDX-License-Identifier: Apache-2.0
#include "queue/pass/backfill_order.hpp"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

namespace copse::queue {

JobView view_of(const SharedParts& shared, const Discipline& discipline, Slot slot,
                std::size_t position, std::size_t promises) {
  const QueuedJob& job = shared.jobs[slot];
  const JobKind& kind = shared.kinds[job.kind];
  return {.discipline = discipline,
          .position = position,
          .promises = promises,
          .promised = job.state == JobState::promised,
          .now_s = shared.engine.now(),
          .submit_s = job.position.submit_s,
          .duration_s = job.duration_s,
          .priority = -job.position.minus_priority,
          .nodes = kind.nodes_least,
          .cores = kind.cores,
          .user = shared.priorities.name(job.user),
          .queue = shared.kinds.queue_name(job.queue),
          .read_running = [](void* jobs) { return static_cast<RunningJobList*>(jobs)->list(); },
          .running_jobs = &shared.running_jobs};
}

Treatment treatment_of(const JobView& job, const std::string& queue, QueueSink& sink) {
  std::string why;
  try {
    const Treatment out = job.discipline.treat(job);
    if (out <= Treatment::stop) return out;
    why = fmt::format("returned {}, which is not a treatment", static_cast<unsigned>(out));
  } catch (const std::exception& thrown) {
    why = fmt::format("threw an exception: {}", thrown.what());
  } catch (...) {
    why = "threw an exception";
  }
  why = fmt::format("the discipline \"{}\" {}", job.discipline.name, why);
  sink.discipline_failed(queue, {ErrorCode::invalid, std::move(why), {}});
  return Treatment::wait;
}

std::optional<QueuePosition> last_within_depth(const Waiters& order, const Waiters& skipped,
                                               const QueuePosition& from, std::size_t positions) {
  std::optional<QueuePosition> last;
  auto at = order.lower_bound({from, {}, {}});
  for (std::size_t n = 0; n < positions && at != order.end(); ++at) {
    last = at->position;
    if (!skipped.contains(*at)) ++n;
  }
  return last;
}

void BackfillOrder::begin(const JobKindTable& kinds, std::uint16_t waiting_queue,
                          const QueuePosition& from, const std::optional<QueuePosition>& last) {
  heap_.clear();
  queue_number_ = waiting_queue;
  from_ = from;
  last_ = last;
  for (const std::uint32_t kind : kinds.waited_for(waiting_queue)) push(kinds, kind, nullptr);
}

void BackfillOrder::push(const JobKindTable& kinds, std::uint32_t kind,
                         const QueuePosition* after) {
  if (kinds[kind].waiting_queue != queue_number_ || !kinds.any_may_fit(kind)) return;
  const auto& list = kinds[kind].waiting;
  auto at =
      after == nullptr ? list.lower_bound({from_, {}, {}}) : list.upper_bound({*after, {}, {}});
  for (; at != list.end(); ++at) {
    if (last_ && *last_ < at->position) return;
    if (!kinds.may_fit(kind, at->duration_s)) continue;
    heap_.push_back({*at, kind});
    std::push_heap(heap_.begin(), heap_.end());
    return;
  }
}

std::optional<BackfillOrder::Candidate> BackfillOrder::take() {
  if (heap_.empty()) return std::nullopt;
  std::pop_heap(heap_.begin(), heap_.end());
  const Candidate out = heap_.back();
  heap_.pop_back();
  return out;
}

void BackfillOrder::tried(const JobKindTable& kinds, const Candidate& candidate) {
  push(kinds, candidate.kind, &candidate.waiter.position);
}

}  // namespace copse::queue
