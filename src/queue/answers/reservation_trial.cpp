// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/reservation_trial.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace copse::queue {

namespace {

class NullSink : public QueueSink {
  void started(JobId, const Grant&) override {}
  void denied(JobId, const Error&) override {}
};

std::optional<std::int64_t> start_in(const JobTable& jobs, JobId id, bool reported) {
  const Slot slot = jobs.find(id);
  if (slot == kNoSlot) return std::nullopt;
  const QueuedJob& job = jobs[slot];
  if (job.state == JobState::running) return job.start_s;
  if (job.state != JobState::promised || (reported && job.reported_s < 0)) return std::nullopt;
  return job.start_s;
}

}  // namespace

Result<ReservationTrial> try_reservation(JobQueue& queue, const ReservationSpec& spec,
                                         std::uint64_t jobs_max) {
  NullSink sink;
  const auto engine = queue.engine().clone();
  const auto copy = queue.clone(*engine, sink);
  auto losses = copy->reserve(spec);
  if (!losses) return std::unexpected(losses.error());
  ReservationTrial out;
  out.losses = std::move(*losses);
  auto views = copy->reservations();
  out.view = std::move(*std::ranges::find(views, spec.name, &ReservationView::name));
  WorkBudget budget{.jobs = jobs_max};
  out.complete = copy->work(budget);
  const JobTable& after = copy->view().jobs;
  queue.view().jobs.each([&](const QueuedJob& job) {
    if (job.state != JobState::promised || job.reported_s < 0) return;
    const auto start_s = start_in(after, job.id, out.complete);
    if (start_s != job.reported_s) out.moved.push_back({job.id, job.reported_s, start_s});
  });
  std::ranges::sort(out.moved, {}, [](const ReservationTrial::Moved& moved) {
    return std::tuple(moved.from_s, moved.job);
  });
  return out;
}

}  // namespace copse::queue
