// SPDX-License-Identifier: Apache-2.0
//
// schedule(): runs a stream of jobs through a queue over an engine.
//
// Time advances from event to event. At each, resources of ended jobs are freed first; then the
// events of the stream take effect; then submitted jobs join the queue (queue/job_queue.hpp); then
// jobs start. A job ends after its run time or its limit, whichever comes first, or when it is
// cancelled or one of its nodes fails. All this is known at its start, because the stream is known.
// copse/discipline.hpp describes the disciplines.
//
// Jobs that the machine can never serve are refused at their submission. Jobs that fit at no time,
// because nodes are down or in use without end, are refused when that is found and no node returns
// later. Jobs that are held and never released are refused at the end.
//
// Deterministic: a function of the machine, the policy, the jobs and the discipline.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "copse/discipline.hpp"
#include "copse/engine.hpp"
#include "explain/explanation.hpp"
#include "plan/job.hpp"
#include "queue/config/queue_config.hpp"

namespace copse::queue {
class JobQueue;
}

namespace copse::plan {

// How a job ends.
enum class Ending : std::uint8_t {
  done,
  limit,  // its limit, or the end of the clock
  cancelled,
  failed,    // one of its nodes failed
  requeued,  // the same, and it goes back to the queue
};

// A stream stopped at one time, to be queried.
struct PausedStream {
  queue::JobQueue& queue;
  JobNames names;   // of jobs, by their grants
  JobNames queues;  // the stream's names of their queues; "": none
  std::function<std::optional<std::int64_t>(std::uint64_t grant)>
      deadlines;  // of jobs that have one
  // Submitted jobs that wait for another one (Jobs::after), each with its first dependency.
  struct Awaiting {
    std::uint32_t job;
    Dependency awaited;
  };
  std::vector<Awaiting> awaiting;
};

// "it joins the queue when job make has ended well".
[[nodiscard]] std::string awaited_text(const Jobs& jobs, const Dependency& awaited);

// Called as the schedule advances, in the order of events; any function may be null. `job` is an
// index into the stream.
struct ScheduleObserver {
  // A job is submitted at another time than the stream has (Job::submitted_after).
  std::function<void(std::uint32_t job, std::int64_t time_s)> submitted = nullptr;
  // The job starts now, and will end at end_s; the grant is valid until the function returns. A
  // requeued job starts again.
  std::function<void(std::uint32_t job, std::int64_t start_s, std::int64_t end_s, Ending ending,
                     const Grant& grant)>
      started = nullptr;
  std::function<void(std::uint32_t job, std::int64_t time_s)> ended = nullptr;
  std::function<void(std::uint32_t job, std::int64_t time_s, const Error& error)> refused = nullptr;
  // The job waits with this promised start; called again when that changes.
  std::function<void(std::uint32_t job, std::int64_t start_s)> promised = nullptr;
  // The job leaves before its start: its deadline has passed, or it was cancelled.
  std::function<void(std::uint32_t job, std::int64_t time_s, bool deadline)> withdrawn = nullptr;
  // An occurrence of a reservation is booked.
  std::function<void(const std::string& name, std::int64_t start_s, std::int64_t end_s,
                     const std::vector<PoolId>& nodes)>
      reserved = nullptr;
  // What an earlier grant keeps of a reservation, with the name of its job.
  std::function<void(const std::string& name, const queue::ReservationLoss& loss,
                     const std::string& job)>
      lost = nullptr;
  // The job has started, and will be ended by the end of the clock.
  std::function<void(std::uint32_t job)> cut = nullptr;
  // Called once at that time, after the queue has decided; the stream ends then.
  std::optional<std::int64_t> pause_s = std::nullopt;
  std::function<void(const PausedStream& what)> paused = nullptr;
  // An event was handled: the number of waiting jobs.
  std::function<void(std::int64_t time_s, std::size_t waiting)> advanced = nullptr;
};

// Runs the stream to its end. Earlier grants of the engine are not changed. At the end of the clock
// (EngineOptions::horizon) running jobs end at their limit, and waiting jobs are refused. Errors:
// those of Engine::advance; those of JobQueue::reserve, before any job runs.
// Cost: a pass of the queue per event (queue/waiting_queue.hpp).
[[nodiscard]] Result<void> schedule(Engine& engine, const Jobs& jobs, const Discipline& discipline,
                                    const ScheduleObserver& observer);
// The same with several queues, or computed priorities. A job of an unknown queue is refused; if
// there is one queue without a name, all jobs are in it. REQUIRES that read_queue_config() has read
// the config.
[[nodiscard]] Result<void> schedule(Engine& engine, const Jobs& jobs,
                                    const queue::QueueConfig& queues,
                                    const ScheduleObserver& observer);

}  // namespace copse::plan
