// SPDX-License-Identifier: Apache-2.0
//
// QueueParts: the parts of a queue, and changes of several parts together.
//
// Invariant: a job in the table runs, is on hold, is in its queue, or waits for its reservation.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "queue/pass/compression.hpp"
#include "queue/pass/restorations.hpp"
#include "queue/queue_table.hpp"
#include "queue/reservation/reservations.hpp"

namespace copse::queue {

// About a grant outside the queue. Without its request, neither limits nor reservations that are not
// booked yet are checked.
struct OutsideGrant {
  std::string_view user{};  // whose usage and limits count; "": none
  const Request* request = nullptr;
};

// What a grant outside the queue counts for its user.
struct OutsideUse {
  Priorities::User user = 0;
  double cores = 0;
  RunningSize size{};
};

// What has changed since the host stored it (KeptUsage).
struct KeptChanges {
  std::set<JobId> outside_users{};  // grants that began or ended
  std::set<JobId> priorities{};     // jobs whose priority was computed
  bool reordered = false;           // all were
};

struct QueueParts {
  // As JobQueue's constructors.
  QueueParts(Engine& engine_in, std::vector<QueueSpec> specs, QueueSink& sink_in, PriorityRule rule,
             RunningLimits limits);
  QueueParts(const QueueParts& other, Engine& engine_in, QueueSink& sink_in);
  QueueParts(const QueueParts&) = delete;
  QueueParts& operator=(const QueueParts&) = delete;
  ~QueueParts() = default;

  // References only: parts that are constructed later may be among them.
  [[nodiscard]] SharedParts shared() {
    return {engine,     jobs,           kinds, promises,     freed_intervals,
            priorities, promise_errors, sink,  denied_slots, running_jobs};
  }

  // --- Jobs. Errors: not_found; invalid (it runs, or does not).
  [[nodiscard]] Result<Slot> known(JobId id) const;
  [[nodiscard]] Result<Slot> not_running(JobId id) const;
  [[nodiscard]] Result<Slot> runs(JobId id) const;
  [[nodiscard]] std::int64_t minus_priority(
      const QueuedJob& job) const;  // for the present priority
  [[nodiscard]] std::size_t waiting() const { return queues.waiting() + reservations.waiting(); }
  // When priorities are recomputed next; none: they do not change with time.
  [[nodiscard]] std::optional<std::int64_t> next_priorities() const;
  // The priority of a job was computed, at another time than those of all jobs.
  void note_priority(JobId id) {
    if (kept_changes && priorities.rule().moves()) kept_changes->priorities.insert(id);
  }
  void enqueue(Slot slot);   // in its queue, or for its reservation
  void withdraw(Slot slot);  // from there, with its promise
  void forget(Slot slot);    // from the table
  void forget_denied();

  // --- Freed resources
  void freed(std::int64_t from_s, std::int64_t until_s);
  void freed_all() { freed(engine.now(), INT64_MAX); }
  void job_released(JobId id);  // a running job released resources: reservations may take them
  // Withdraws the first promise in the order of the queues for which `conflicts` is true, and all
  // behind it. They are made again before the next pass.
  void displace(const std::function<bool(const QueuedJob&)>& conflicts);
  void start_due_jobs();  // promised starts happen
  // Reservations may have changed: promises keep to them. Some may be due afterwards.
  void note_reserved();
  // Promises were revoked, or queues changed, on which the pass under way relies: it ends, and the
  // next pass examines all jobs. O(queues + reservations).
  void abandon_pass();

  Engine& engine;
  QueueSink& sink;
  JobTable jobs;
  JobKindTable kinds;
  FreedIntervals freed_intervals;
  Promises promises;
  Priorities priorities;
  RunningJobList running_jobs;
  Reservations reservations;
  std::vector<Slot> denied_slots;
  PromiseErrors promise_errors;
  QueueTable queues;
  Restorations restorations;
  Compression compression;
  std::int64_t prioritized_s = 0;                 // when priorities were computed
  std::optional<std::uint64_t> reserved_version;  // of the reservations that promises keep to
  std::uint64_t arrivals = 0, sequence = 0;
  std::optional<std::int64_t> clock_to_s;  // where the clock moves with the next event

  std::set<std::pair<std::int64_t, JobId>> outside_ends;  // of grants outside the queue
  std::map<JobId, OutsideUse> outside_users;              // of those with a user
  std::optional<KeptChanges> kept_changes;                // none: not noted

  bool anything_freed = false, changed = false;       // since the last pass began
  std::vector<FreedIntervals::Interval> freed_later;  // by events during a pass, for the next one
  std::size_t at_queue = 0;                           // of the pass under way
  bool passing = false;
};

}  // namespace copse::queue
