// SPDX-License-Identifier: Apache-2.0
//
// BackfillOrder: the jobs of a queue without a promise, in the order in which a pass tries to start
// them now (backfill). Of each kind, a heap has the first job that may still fit, by position. When
// that was tried, the next of its kind follows: so one failure spares all equal requests.
//
// It can be interrupted after any job. Cost: O(kinds) to begin; a job O(log kinds), and the jobs of
// its kind that are skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "copse/discipline.hpp"
#include "queue/job_kind_table.hpp"
#include "queue/shared_parts.hpp"

namespace copse::queue {

// A waiting job as its discipline sees it. `position`: waiting jobs before it; `promises`: how many of
// these have promises.
[[nodiscard]] JobView view_of(const SharedParts& shared, const Discipline& discipline, Slot slot,
                              std::size_t position, std::size_t promises);

// The result of its function. If it throws, or returns an invalid value, `sink` is notified, and
// the result is `wait`.
[[nodiscard]] Treatment treatment_of(const JobView& job, const std::string& queue, QueueSink& sink);

// The position of the last of `positions` jobs from one on; `skipped` ones do not count. None:
// there is no job. O(positions + skipped).
[[nodiscard]] std::optional<QueuePosition> last_within_depth(const Waiters& order,
                                                             const Waiters& skipped,
                                                             const QueuePosition& from,
                                                             std::size_t positions);

class BackfillOrder {
 public:
  struct Candidate {
    Waiter waiter;
    std::uint32_t kind = 0;
    bool operator<(const Candidate& other) const { return other.waiter < waiter; }
  };

  // The jobs of a queue from one position to another, or to the end.
  void begin(const JobKindTable& kinds, std::uint16_t waiting_queue, const QueuePosition& from,
             const std::optional<QueuePosition>& last);
  // Removes the next job from the heap; none: all were tried.
  [[nodiscard]] std::optional<Candidate> take();
  // The job was tried or skipped: the next of its kind follows.
  void tried(const JobKindTable& kinds, const Candidate& candidate);

 private:
  // A kind's number may have been reused for a kind of another queue.
  void push(const JobKindTable& kinds, std::uint32_t kind, const QueuePosition* after);

  std::uint16_t queue_number_ = 0;
  QueuePosition from_{};
  std::optional<QueuePosition> last_;
  std::vector<Candidate> heap_;
};

}  // namespace copse::queue
