// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/reservation_trial.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "copse/effect.hpp"

namespace copse::queue {

namespace {

class NullSink : public QueueSink {
  void started(JobId, const Grant&) override {}
  void denied(JobId, const Error&) override {}
};

// Gives way at each change of an engine.
class PausingObserver : public EffectSink {
 public:
  explicit PausingObserver(const std::function<void()>& pause) : pause_(pause) {}
  void take(const Effect& /*effect*/) override { pause(); }
  void pause() { pause_(); }

 private:
  const std::function<void()>& pause_;
};

struct PromisedStart {
  JobId job = 0;
  std::int64_t start_s = 0;
};

// The reported promises.
std::vector<PromisedStart> promised_starts(const JobTable& jobs) {
  std::vector<PromisedStart> out;
  jobs.each([&](const QueuedJob& job) {
    if (job.state == JobState::promised && job.reported_s >= 0)
      out.push_back({job.id, job.reported_s});
  });
  return out;
}

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
                                         std::uint64_t jobs_max,
                                         const std::function<void()>& pause) {
  NullSink sink;
  PausingObserver observer(pause);
  const std::vector<PromisedStart> before = promised_starts(queue.view().jobs);
  const auto engine = queue.engine().clone();
  const auto copy = queue.clone(*engine, sink);
  if (pause) {
    engine->observe(&observer);
    pause();
  }
  auto losses = copy->reserve(spec);
  if (!losses) return std::unexpected(losses.error());
  ReservationTrial out;
  out.losses = std::move(*losses);
  auto views = copy->reservations();
  out.view = std::move(*std::ranges::find(views, spec.name, &ReservationView::name));
  WorkBudget budget{.jobs = jobs_max};
  if (pause) {
    budget.context = &observer;
    budget.expired = [](void* of) {
      static_cast<PausingObserver*>(of)->pause();
      return false;
    };
  }
  out.complete = copy->work(budget);
  const JobTable& after = copy->view().jobs;
  for (const PromisedStart& promised : before) {
    const auto start_s = start_in(after, promised.job, out.complete);
    if (start_s != promised.start_s) {
      out.moved.push_back({promised.job, promised.start_s, start_s});
    }
  }
  std::ranges::sort(out.moved, {}, [](const ReservationTrial::Moved& moved) {
    return std::tuple(moved.from_s, moved.job);
  });
  return out;
}

}  // namespace copse::queue
