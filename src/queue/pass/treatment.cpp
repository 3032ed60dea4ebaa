// SPDX-License-Identifier: Apache-2.0
#include "queue/pass/treatment.hpp"

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
          .queue = shared.kinds.queue_name(job.queue)};
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

}  // namespace copse::queue
