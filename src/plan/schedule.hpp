// SPDX-License-Identifier: Apache-2.0
//
// schedule(): a stream of jobs through a queue on top of an engine.
//
// The queue stands in the order of priority (highest first), then of submission, then of the
// stream. Time goes from event to event. At each, first what ends is given back, then what is
// submitted joins the queue, then jobs start. A job ends when its run time is over, or the time
// that it asked for, whichever comes first.
//
//   fcfs          The head of the queue starts when it matches; nothing passes it.
//   easy          If the head does not match now, it is given a reservation at its earliest start;
//                 then the others are tried in the order of the queue: one may start now if it
//                 matches with that reservation in place (Lifka, "The ANL/IBM SP scheduling
//                 system", 1995). The head's earliest start is found again, without its own
//                 reservation in the way, at every event at which something was given back (at
//                 others it cannot become earlier); where it is the same the reservation stays as
//                 it is, to the node. A head whose reserved time has come starts on what was
//                 reserved.
//   conservative  Every job is given a reservation when it is submitted, at the earliest time that
//                 hurts no reservation in place. When a job ends before the time that it asked for,
//                 the queue is compressed: in its order, each waiting job is moved to the earliest
//                 start that it can have without its own reservation, if that is earlier than the
//                 one it has; else its reservation stays as it is, to the node (Mu'alem and
//                 Feitelson, "Utilization, predictability, workloads, and user runtime estimates
//                 in scheduling the IBM SP2 with backfilling", 2001).
//
// Jobs that the machine can never serve are refused when they are submitted; those that it could,
// but not with what is down or in use for ever, when this is found out.
//
// What is not tried again: where a request of fixed counts failed now, so does the same request for
// as long or longer, until something is given back. Requests with counts in a range are always
// tried: they ask for more where more is free. Compression tries a job again only where a time that
// was given back since its last try leaves a chance, see StartChances.
//
// Deterministic: a function of the machine, the policy, the jobs and the discipline.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "copse/discipline.hpp"
#include "copse/engine.hpp"
#include "plan/job.hpp"

namespace copse::plan {

// What is told while it goes on, in the order in which it happens; any may be null. `job` is an
// index into the stream.
struct Watch {
  // It starts now, and will end at end_s; what it has stays good until the function returns.
  std::function<void(std::uint32_t job, std::int64_t start_s, std::int64_t end_s,
                     const Selection& selection)>
      started = nullptr;
  std::function<void(std::uint32_t job, std::int64_t time_s)> ended = nullptr;
  std::function<void(std::uint32_t job, std::int64_t time_s, const Error& error)> refused = nullptr;
  // An event is over: how many jobs wait.
  std::function<void(std::int64_t time_s, std::size_t waiting)> moment = nullptr;
};

// Runs the stream to its end. The engine may have grants before: they are left alone.
// Errors: those of Engine::advance, if a job waits until it would end beyond the horizon.
// Cost: an event of n waiting jobs and r different requests: O(r) matches and, where something was
// given back, O(n) steps; conservative O(n) looks at the root's planner.
[[nodiscard]] Result<void> schedule(Engine& engine, const Jobs& jobs, const Discipline& discipline,
                                    const Watch& watch);

}  // namespace copse::plan
