// SPDX-License-Identifier: Apache-2.0
//
// FreedIntervals: intervals of time in which resources were freed, and so where a promised job may
// start earlier. They spare the search of all other times.
//
// When a job of fixed counts was last tried (or promised a start), it could not start before its
// promise. If it can now, its new time overlaps an interval that was freed since: by a job that
// ended early, or by a promise that moved. So for each such [from, until) only starts in (from -
// duration, until) are searched. A round examines the queue in order: what a job frees in it counts
// for the jobs before it in the next round.
//
// A failure in a round holds for other jobs of the kind. If one cannot start before a time, another
// of its kind with the same or a longer duration cannot either. This holds up to where the other's
// own promise blocked the first one's search, or where an interval was freed since.
//
// Freed intervals are kept in blocks of 64, each with its union, in addition to the single
// intervals.
//
// While promises are counted, NodeCounts knows where to search. Then it matters only whether any
// interval was freed.
//
// Cost: add() O(u), u being the parts of a union, few if intervals overlap; candidate_starts() O(64
// + u log u); none_before() O(intervals freed / 64).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "queue/job_kind_table.hpp"
#include "queue/job_table.hpp"

namespace copse::queue {

// Disjoint intervals, ascending.
class TimeUnion {
 public:
  struct Interval {
    std::int64_t from_s = 0, until_s = 0;
  };
  void add(Interval added);
  void add(const TimeUnion& other) {
    for (const Interval& interval : other.parts_) add(interval);
  }
  void clear() { parts_.clear(); }
  [[nodiscard]] std::span<const Interval> parts() const { return parts_; }

 private:
  std::vector<Interval> parts_;
};

class FreedIntervals {
 public:
  using Interval = TimeUnion::Interval;

  void add(Interval freed);
  // Whether a round may find an earlier start.
  [[nodiscard]] bool any() const { return !now_.times.empty() || left_over_; }
  // Whether no interval was freed since the job was tried.
  [[nodiscard]] bool none_since(const QueuedJob& job) const {
    if (!now_.times.empty()) return false;
    return job.round == round_ || (job.round + 1 == round_ && job.freed_seen == last_.times.size());
  }
  // Earlier starts to be searched: ascending, disjoint; valid until the next call.
  [[nodiscard]] std::span<const Interval> candidate_starts(const QueuedJob& job,
                                                           const JobKind& kind, std::int64_t now_s);
  // A time before which the job cannot start, known from other jobs of its kind in this round.
  [[nodiscard]] std::int64_t none_before(const QueuedJob& job, const JobKind& kind,
                                         std::int64_t now_s) const;
  // The job was tried, or promised a start.
  void note_tried(QueuedJob& job) const {
    job.round = round_;
    job.freed_seen = static_cast<std::uint32_t>(now_.times.size());
  }
  // The job cannot start before that time.
  void note_no_earlier_start(const QueuedJob& job, JobKind& kind, std::int64_t start_s);
  // The intervals freed so far become those of the last round. Returns whether there was any.
  bool next_round();

 private:
  static constexpr std::uint32_t kBlock = 64;
  struct Block {
    TimeUnion times;  // in this round; of the last round: from this block on
    std::int64_t least_from_s = INT64_MAX;
  };
  struct Round {
    std::vector<Interval> times;
    std::vector<Block> blocks;  // of 64 intervals each
  };
  template <class Visit>  // visit(part), for what was freed since the job was tried
  void visit_since(const QueuedJob& job, Visit visit);
  // The block of the next interval.
  [[nodiscard]] std::uint32_t current_block() const {
    return static_cast<std::uint32_t>(now_.times.size() / kBlock);
  }

  std::uint32_t round_ = 0;
  TimeUnion freed_;  // in this round
  Round now_, last_;
  bool left_over_ = false;  // no job was tried on the intervals of the last round yet
  TimeUnion candidates_;    // scratch
  std::size_t no_earlier_starts_noted_ = 0;
};

}  // namespace copse::queue
