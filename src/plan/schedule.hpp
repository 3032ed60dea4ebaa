// SPDX-License-Identifier: Apache-2.0
//
// schedule(): a stream of jobs through a queue on top of an engine.
//
// Time goes from event to event. At each, first what ends is given back, then the stream's events
// take effect, then what is submitted joins the queue (queue/job_queue.hpp), then jobs start. A job
// ends when its run time is over, or the time that it asked for, whichever comes first; or when it
// is cancelled, or a node of it fails. All that is known when it starts, since the stream is. What
// the disciplines do: copse/discipline.hpp.
//
// Jobs that the machine can never serve are refused when they are submitted; those that it could,
// but not with what is down or in use for ever, when this is found out and no node comes back
// later. Those that are held and never released are refused in the end.
//
// Deterministic: a function of the machine, the policy, the jobs and the discipline.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
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
  limit,  // the time that it asked for is over, or the clock ends
  cancelled,
  failed,    // a node of it went down
  requeued,  // the same, and it goes back to the queue
};

// What can be asked of a stream at one time.
struct PausedStream {
  queue::JobQueue& queue;
  JobNames names;   // of jobs, by their grants
  JobNames queues;  // that the stream names for them; "": none
  std::function<std::optional<std::int64_t>(std::uint64_t grant)>
      deadlines;  // of those that have one
  // Jobs that were submitted and wait for another one (Jobs::after), each with the first of these.
  struct Awaiting {
    std::uint32_t job;
    Dependency awaited;
  };
  std::vector<Awaiting> awaiting;
};

// "it joins the queue when job make has ended well".
[[nodiscard]] std::string awaited_text(const Jobs& jobs, const Dependency& awaited);

// What is told while it goes on, in the order in which it happens; any may be null. `job` is an
// index into the stream.
struct ScheduleObserver {
  // It starts now, and will end at end_s; the grant stays good until the function returns. A job
  // that is requeued starts again.
  std::function<void(std::uint32_t job, std::int64_t start_s, std::int64_t end_s, Ending ending,
                     const Grant& grant)>
      started = nullptr;
  std::function<void(std::uint32_t job, std::int64_t time_s)> ended = nullptr;
  std::function<void(std::uint32_t job, std::int64_t time_s, const Error& error)> refused = nullptr;
  // It waits, and is promised this start; told again when that changes.
  std::function<void(std::uint32_t job, std::int64_t start_s)> promised = nullptr;
  // It leaves before it started: its deadline is over, or it was cancelled.
  std::function<void(std::uint32_t job, std::int64_t time_s, bool deadline)> withdrawn = nullptr;
  // A time of a reservation is booked.
  std::function<void(const std::string& name, std::int64_t start_s, std::int64_t end_s,
                     const std::vector<PoolId>& nodes)>
      reserved = nullptr;
  // What a grant that was there before keeps of a reservation, and how its job is called.
  std::function<void(const std::string& name, const queue::ReservationLoss& loss,
                     const std::string& job)>
      lost = nullptr;
  // It started, and will be ended by the end of the clock.
  std::function<void(std::uint32_t job)> cut = nullptr;
  // PausedStream once, when the time has come, and the queue has decided what it could; then the stream
  // goes no further.
  std::optional<std::int64_t> pause_s = std::nullopt;
  std::function<void(const PausedStream& what)> paused = nullptr;
  // An event is over: how many jobs wait.
  std::function<void(std::int64_t time_s, std::size_t waiting)> advanced = nullptr;
};

// Runs the stream to its end. The engine may have grants before: they are left alone.
// At the end of the clock (EngineOptions::horizon) all that runs ends at its limit, and all that
// waits is refused. Errors: those of Engine::advance; those of JobQueue::reserve, before anything is
// run.
// Cost: of each event, a pass of the queue (queue/waiting_queue.hpp).
[[nodiscard]] Result<void> schedule(Engine& engine, const Jobs& jobs, const Discipline& discipline,
                                    const ScheduleObserver& observer);
// The same with several queues, or priorities that are computed. A job of a queue that is not there
// is refused; where there is one queue without a name, all are in it. REQUIRES that the config was
// read by read_queue_config().
[[nodiscard]] Result<void> schedule(Engine& engine, const Jobs& jobs,
                                    const queue::QueueConfig& queues,
                                    const ScheduleObserver& observer);

}  // namespace copse::plan
