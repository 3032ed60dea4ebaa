// SPDX-License-Identifier: Apache-2.0
#include "queue/events/arrivals.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/job_id.hpp"
#include "queue/events/queue_events.hpp"

namespace copse::queue {

namespace {

Error below_0(const char* what) {
  return {ErrorCode::invalid, fmt::format("a {} is not below 0", what), {}};
}

}  // namespace

std::int64_t requested_duration(std::int64_t duration_s) {
  return duration_s == 0 ? kEndless_s : std::min(duration_s, kEndless_s);
}

Result<const QueueTable::Entry*> Arrivals::queue_of(const Submission& job) const {
  if (job.id == 0) return fail(ErrorCode::invalid, "a job has an id above 0");
  if (job.id >= kClientZeroId) return fail(ErrorCode::invalid, "a job has an id below 2^63");
  if (job.duration_s < 0) return std::unexpected(below_0("duration"));
  if (job.submit_s < 0) return std::unexpected(below_0("time"));
  if (p_.jobs.find(job.id) == kNoSlot) return p_.queues.find(job.queue);
  return fail(ErrorCode::exists, fmt::format("there is a job {} already", job.id));
}

Result<const QueueTable::Entry*> Arrivals::queue_of_new(const Submission& job) const {
  auto queue = queue_of(job);
  if (!queue || p_.engine.grant(job.id) == nullptr) return queue;
  return fail(ErrorCode::exists,
              fmt::format("there is a grant {} already: choose another id", job.id));
}

// A visiting policy may treat users differently.
std::uint32_t Arrivals::find_kind(const Submission& job, std::uint16_t queue) {
  if (p_.engine.options().policy.visit == nullptr || job.user.empty()) {
    return p_.kinds.find(job.kind, queue, *job.request);
  }
  Request request = *job.request;
  request.user = job.user;
  return p_.kinds.find(fmt::format("{}\n{}", job.user, job.kind), queue, request);
}

std::uint32_t Arrivals::kind_of(const Submission& job, const QueueTable::Entry& queue) {
  const std::uint32_t kind = find_kind(job, queue.number);
  if (p_.kinds[kind].cores >= 0) return kind;
  p_.kinds[kind].cores = p_.priorities.cores(*job.request);
  if (p_.promises.limits().any()) {
    p_.kinds[kind].most = running_size(*job.request, p_.engine.graph());
  }
  return kind;
}

Slot Arrivals::enter(const Submission& job, const QueueTable::Entry& queue, std::uint32_t kind,
                     std::uint32_t reservation) {
  ++p_.kinds[kind].jobs;
  QueuedJob made;
  made.id = job.id;
  made.position = {0, job.submit_s, job.arrival != 0 ? job.arrival : p_.arrivals++};
  made.given_priority = job.priority;
  made.user = p_.priorities.user(job.user);
  made.duration_s = requested_duration(job.duration_s);
  made.kind = kind;
  made.queue = queue.number;
  made.waiting_queue = queue.waiting_queue;
  made.reservation = reservation;
  made.state = job.on_hold ? JobState::on_hold : JobState::waiting;
  made.position.minus_priority = p_.minus_priority(made);
  const Slot slot = p_.jobs.add(made);
  p_.note_priority(job.id);
  ++p_.sequence;
  p_.promises.joined(slot);
  return slot;
}

Result<std::optional<Error>> Arrivals::submit(const Submission& job) {
  const auto queue = queue_of_new(job);
  if (!queue) return std::unexpected(queue.error());
  std::uint32_t reservation = 0;
  if (!job.reservation.empty()) {
    const auto found = p_.reservations.find(job.reservation, job.user, job.duration_s);
    if (!found && found.error().code == ErrorCode::not_found) {
      return std::unexpected(found.error());
    }
    if (!found) {
      p_.sink.denied(job.id, found.error());
      return std::optional<Error>(found.error());
    }
    reservation = *found;
  }
  const std::uint32_t kind = kind_of(job, **queue);
  std::optional<Error> never;
  if (!p_.kinds[kind].request) {
    never = p_.kinds[kind].why_not;
  } else if (reservation != 0) {
    if (auto fits = p_.reservations.check_fits(reservation, kind); !fits) never = fits.error();
  }
  if (!never && p_.promises.limits().any()) {
    auto alone = p_.promises.limits().never(job.user, job.queue, p_.kinds[kind].most);
    if (!alone.empty()) never = Error{ErrorCode::invalid, std::move(alone), {}};
  }
  if (never) {
    p_.sink.denied(job.id, *never);
    if (p_.kinds[kind].jobs > 0) return never;
    p_.reservations.forget_kind(kind);
    p_.kinds.release(kind);
    return never;
  }
  const Slot slot = enter(job, **queue, kind, reservation);
  if (!job.on_hold) p_.enqueue(slot);
  return {};
}

Result<void> Arrivals::adopt(const Adoption& running) {
  const Submission& job = running.job;
  const auto queue = queue_of_new(job);
  if (!queue) return std::unexpected(queue.error());
  const std::int64_t now_s = p_.engine.now(), horizon_s = p_.engine.options().horizon;
  const std::int64_t end_s = running.end_s == 0 ? horizon_s : std::min(running.end_s, horizon_s);
  if (end_s <= now_s) {
    return fail(ErrorCode::invalid, fmt::format("the time of job {} has passed", job.id));
  }
  // Counted promises have no nodes, so any may conflict.
  p_.displace([end_s](const QueuedJob& promised) { return promised.start_s < end_s; });
  const auto granted = p_.engine.update(job.id, {running.pools, running.amounts}, now_s,
                                        end_s - now_s, running.charges);
  if (!granted) return std::unexpected(granted.error());
  p_.engine.set_user(job.id, std::string(job.user));
  RunningJobs(p_).adopted(enter(job, **queue, kind_of(job, **queue), 0));
  return {};
}

Result<void> Arrivals::resume(std::span<const Resumption> jobs) {
  Resumptions resumed(p_);
  for (const Resumption& was : jobs) {
    const auto queue = queue_of(was.job);
    if (!queue) return std::unexpected(queue.error());
    const std::uint32_t reservation =
        was.job.reservation.empty() ? 0 : p_.reservations.table().number(was.job.reservation);
    const Slot slot = enter(was.job, **queue, kind_of(was.job, **queue), reservation);
    if (was.priority) p_.jobs[slot].position.minus_priority = -*was.priority;
    resumed.add(slot, was);
  }
  resumed.settle();
  return {};
}

}  // namespace copse::queue
