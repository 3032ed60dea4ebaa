// SPDX-License-Identifier: Apache-2.0
//
// QueueParts: what a queue is made of, and what changes several parts as one.
//
// Invariant: a job in the table runs, is held, stands in its line, or waits for its reservation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "queue/pass/compression.hpp"
#include "queue/queue_table.hpp"
#include "queue/reservation/reservations.hpp"

namespace copse::queue {

struct QueueParts {
  // As JobQueue's.
  QueueParts(Engine& engine_in, std::vector<QueueSpec> specs, QueueSink& sink_in,
             PriorityRule rule);
  QueueParts(const QueueParts& other, Engine& engine_in, QueueSink& sink_in);
  QueueParts(const QueueParts&) = delete;
  QueueParts& operator=(const QueueParts&) = delete;
  ~QueueParts() = default;

  // References alone: parts that are made later may be among them.
  [[nodiscard]] SharedParts shared() {
    return {engine,     jobs,           kinds, promises,    freed_intervals,
            priorities, promise_errors, sink,  denied_slots};
  }

  // --- Jobs. Errors: not_found; invalid (it runs, or does not).
  [[nodiscard]] Result<Slot> known(JobId id) const;
  [[nodiscard]] Result<Slot> not_running(JobId id) const;
  [[nodiscard]] Result<Slot> runs(JobId id) const;
  [[nodiscard]] std::int64_t minus_priority(const QueuedJob& job) const;  // as its priority is now
  [[nodiscard]] std::size_t waiting() const { return queues.waiting() + reservations.waiting(); }
  // When priorities are to be computed again; none: they do not change by themselves.
  [[nodiscard]] std::optional<std::int64_t> next_priorities() const;
  void enqueue(Slot slot);   // in its waiting_queue, or for its reservation
  void withdraw(Slot slot);  // from there, with its promise
  void forget(Slot slot);    // from the table
  void forget_denied();

  // --- What is given back
  void freed(std::int64_t from_s, std::int64_t until_s);
  void freed_all() { freed(engine.now(), INT64_MAX); }
  void job_released(JobId id);  // by a job that runs: reservations may have it
  void drop_promises_before(std::int64_t time_s);
  void start_due_jobs();  // promised starts come true
  // Promises are gone, or lines are others, that the pass under way relies on: it is left, and the
  // next one looks at all. O(lines), and O(reservations).
  void abandon_pass();

  Engine& engine;
  QueueSink& sink;
  JobTable jobs;
  JobKindTable kinds;
  FreedIntervals freed_intervals;
  Promises promises;
  Priorities priorities;
  Reservations reservations;
  std::vector<Slot> denied_slots;
  PromiseErrors promise_errors;
  QueueTable queues;
  Compression compression;
  std::int64_t prioritized_s = 0;  // when priorities were computed
  std::uint64_t arrivals = 0, sequence = 0;

  std::set<std::pair<std::int64_t, JobId>> outside_ends;  // of grants beside the queue

  bool anything_freed = false, changed = false;       // since the last pass began
  std::vector<FreedIntervals::Interval> freed_later;  // by events in a pass: for the next one
  std::size_t at_queue = 0;                           // of the pass that goes on
  bool passing = false;
};

}  // namespace copse::queue
