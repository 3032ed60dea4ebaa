// SPDX-License-Identifier: Apache-2.0
//
// JobTable: the waiting and running jobs of a queue.
//
// Invariants: a job keeps its slot from its submission to its end. Slots are reused; there are
// never more than jobs were in the table at one time. Each call is O(1), except each().
#pragma once

#include <compare>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/chunked_set.hpp"
#include "base/duration.hpp"
#include "copse/ids.hpp"
#include "queue/counts/node_counts.hpp"

namespace copse::queue {

using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = UINT32_MAX;

// The position of a job in its queue; the smallest is first.
struct QueuePosition {
  std::int64_t minus_priority = 0;  // the highest priority is first
  std::int64_t submit_s = 0;
  std::uint64_t arrival = 0;
  auto operator<=>(const QueuePosition&) const = default;
};

enum class JobState : std::uint8_t {
  on_hold,   // until it is released; not examined
  waiting,   // for the resources that it requests
  promised,  // waiting, with a promised start
  running,
};

struct QueuedJob {
  JobId id = 0;
  QueuePosition position{};
  std::int64_t given_priority = 0;          // its own priority, without computed terms (Priorities)
  std::int64_t duration_s = 0;              // the requested time; kEndless_s: to the horizon
  std::int64_t start_s = 0, end_s = 0;      // promised or running
  std::int64_t limit_s = 0;                 // running: its end, without the time that it overran
  std::int64_t withdrawn_s = -1;            // waiting: the start of a promise to be made again
  CountedUse counted{};                     // what NodeCounts has for it
  std::uint32_t kind = 0;                   // see JobKindTable
  std::uint32_t round = 0, freed_seen = 0;  // when it was last tried, see FreedIntervals
  std::uint32_t user = 0;                   // see Priorities
  std::uint32_t reservation = 0;            // that it waits for, see Reservations; 0: none
  std::uint16_t queue = 0,
                waiting_queue = 0;  // the queue of its submission, and the queue in which it waits
  JobState state = JobState::on_hold;
  std::int64_t first_reported_s = -1;  // the first start that was reported
  std::int64_t reported_s = -1;        // the promised start that was last reported; -1: none
};

// A promised start, in the order of starts.
using DuePromise = std::tuple<std::int64_t, QueuePosition, Slot>;
using DuePromises = ChunkedSet<DuePromise>;

class JobTable {
 public:
  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  [[nodiscard]] QueuedJob& operator[](Slot slot) { return jobs_[slot]; }
  [[nodiscard]] const QueuedJob& operator[](Slot slot) const { return jobs_[slot]; }
  [[nodiscard]] Slot find(JobId id) const {
    const auto at = slots_.find(id);
    return at == slots_.end() ? kNoSlot : at->second;
  }
  // REQUIRES that its id is not in the table.
  Slot add(const QueuedJob& job) {
    Slot slot = static_cast<Slot>(jobs_.size());
    if (unused_.empty()) {
      jobs_.push_back(job);
      used_.push_back(true);
    } else {
      slot = unused_.back();
      unused_.pop_back();
      jobs_[slot] = job;
      used_[slot] = true;
    }
    slots_.emplace(job.id, slot);
    return slot;
  }
  void erase(Slot slot) {
    slots_.erase(jobs_[slot].id);
    used_[slot] = false;
    unused_.push_back(slot);
  }
  [[nodiscard]] bool has(Slot slot) const { return slot < used_.size() && used_[slot]; }
  // Calls `see` with every job, by slot, in the order of memory. O(slots).
  template <class See>
  void each(See see) const {
    for (Slot slot = 0; slot < jobs_.size(); ++slot) {
      if (used_[slot]) see(jobs_[slot]);
    }
  }
  [[nodiscard]] const std::unordered_map<JobId, Slot>& slots() const { return slots_; }

 private:
  std::vector<QueuedJob> jobs_;
  std::vector<bool> used_;  // by slot
  std::vector<Slot> unused_;
  std::unordered_map<JobId, Slot> slots_;
};

}  // namespace copse::queue
