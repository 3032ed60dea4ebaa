// SPDX-License-Identifier: Apache-2.0
//
// FreedIntervals: when a promised job may have an earlier start, so that nobody need ask for all other
// times.
//
// When a job of fixed counts was last tried (or placed), it could not start before its promise. If
// it can now, its new time overlaps a time that was given back since: by a job that ended early, or
// by a promise that moved. So for each such [from, until) only starts in (from - duration, until)
// are asked for. A round goes over the queue in order: what a job gives back in it counts for those
// before it in the next one.
//
// And what a job cannot do in a round, its like cannot either: where one could not start before a
// time, another of its kind, for as long or longer, cannot, up to where the first one's view was
// blocked by the other's own promise, or where something was given back since.
//
// What was given back is kept in blocks of 64 times, each as a union, beside the times one by one.
//
// Where promises are counted, NodeCounts knows when to look. Then only whether anything was given
// back matters.
//
// Cost: give_back O(u), u being the parts of a union, few where times overlap; of() O(64 + u log u);
// none_before() O(times given back / 64).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "queue/job_kind_table.hpp"
#include "queue/job_table.hpp"

namespace copse::queue {

// Times that are apart, ascending.
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
  // Whether a round may find something.
  [[nodiscard]] bool any() const { return !now_.times.empty() || left_over_; }
  // Whether nothing was given back since the job was tried.
  [[nodiscard]] bool none_since(const QueuedJob& job) const {
    if (!now_.times.empty()) return false;
    return job.round == round_ || (job.round + 1 == round_ && job.freed_seen == last_.times.size());
  }
  // Starts before the promised one to ask for: ascending and apart, until the next call.
  [[nodiscard]] std::span<const Interval> candidate_starts(const QueuedJob& job,
                                                           const JobKind& kind, std::int64_t now_s);
  // A time before which the job cannot start, as others of its kind in this round show.
  [[nodiscard]] std::int64_t none_before(const QueuedJob& job, const JobKind& kind,
                                         std::int64_t now_s) const;
  // The job was tried, or placed.
  void note_tried(QueuedJob& job) const {
    job.round = round_;
    job.freed_seen = static_cast<std::uint32_t>(now_.times.size());
  }
  // The job can start no earlier than then.
  void note_no_earlier_start(const QueuedJob& job, JobKind& kind, std::int64_t start_s);
  // What was given back so far is what the last round left over from now on. Whether anything was.
  bool next_round();

 private:
  static constexpr std::uint32_t kBlock = 64;
  struct Block {
    TimeUnion times;  // in this round; of the last round: from this block on
    std::int64_t least_from_s = INT64_MAX;
  };
  struct Round {
    std::vector<Interval> times;
    std::vector<Block> blocks;  // of 64 times each
  };
  template <class Visit>  // visit(part), of what was given back since the job was tried
  void visit_since(const QueuedJob& job, Visit visit);
  // That the next time goes to.
  [[nodiscard]] std::uint32_t current_block() const {
    return static_cast<std::uint32_t>(now_.times.size() / kBlock);
  }

  std::uint32_t round_ = 0;
  TimeUnion freed_;  // in this round
  Round now_, last_;
  bool left_over_ = false;  // nobody has looked at what the last round left over
  TimeUnion candidates_;    // scratch
  std::size_t no_earlier_starts_noted_ = 0;
};

}  // namespace copse::queue
