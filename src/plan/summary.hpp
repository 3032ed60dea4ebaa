// SPDX-License-Identifier: Apache-2.0
//
// Summary: the figures of a schedule. JobFigures counts what happens to the jobs of a stream.
//
// Figures (Feitelson, Rudolph, Schwiegelshohn, Sevcik, Wong, "Theory and practice in parallel job
// scheduling", 1997; Mu'alem and Feitelson 2001)
//   wait              start - submit; for a requeued job, until its last start. Over no started job
//                     there is none, nor a slowdown or a makespan
//   bounded slowdown  max(1, (wait + run) / max(run, 10 s)), run being the real run time, so that very
//                     short jobs do not dominate; for a requeued job, that of its last run
//   makespan          from the first submission to the last end
//   utilization       of nodes: those with a job; of cores: those of jobs; node-seconds and
//                     core-seconds over the makespan, as a share of the machine. Jobs outside the
//                     stream count here, and in no other figure
//   placement         see placement.hpp; nodes that are down at the beginning count as taken
//
// Memory: 8 bytes a job, 8 more if any has a promised start.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/node_rows.hpp"
#include "plan/job.hpp"
#include "plan/machine_usage.hpp"
#include "plan/placement.hpp"
#include "plan/schedule.hpp"

namespace copse::plan {

inline constexpr std::int64_t kSlowdownBound_s = 10;
[[nodiscard]] double bounded_slowdown(std::int64_t wait_s, std::int64_t run_s);

// Over the jobs that started.
struct StartFigures {
  double mean_wait_s = 0, mean_slowdown = 0;
  double median_wait_s = 0;     // of an even number: the mean of the two in the middle
  std::int64_t p90_wait_s = 0;  // nine tenths of the jobs waited no longer
  std::int64_t longest_wait_s = 0;
};

// A reason for which jobs were refused, in the words of the first of them.
struct Refusal {
  std::string reason;
  std::uint64_t jobs = 0;
};

struct Summary {
  std::uint64_t jobs = 0, started = 0, refused = 0;
  std::uint64_t skipped = 0;  // entries of the stream that are not jobs to run
  // Cancelled jobs may have started before; jobs past their deadline never did.
  std::uint64_t cancelled = 0, past_deadline = 0, failed = 0, requeues = 0;
  std::uint64_t killed = 0;  // at their limit, or by the end of the clock
  std::uint64_t cut = 0;     // by the end of the clock
  std::int64_t first_submit_s = 0, last_end_s = 0;
  bool any_ran = false;  // else there is no makespan; a job that ran may have been refused later
  std::optional<StartFigures> of_started{};    // none: no job started
  std::optional<Refusal> commonest_refusal{};  // none: no job was refused
  // Jobs with a promised start, and those of them that started later than once promised.
  std::uint64_t promised = 0, broken = 0;
  double nodes_used = 0, cores_used = 0;  // shares of 1
  std::uint64_t longest_queue = 0;
  std::vector<LevelFigures> levels{};  // the highest first

  [[nodiscard]] std::int64_t makespan_s() const { return last_end_s - first_submit_s; }
};

class JobFigures {
 public:
  // REQUIRES that the jobs outlive it.
  explicit JobFigures(const Jobs& jobs);

  void promised(std::uint32_t job, std::int64_t start_s);
  void started(std::uint32_t job, std::int64_t submit_s, std::int64_t start_s, std::int64_t end_s,
               Ending ending);
  void refused(const Error& error);
  void withdrawn(bool deadline);
  void cut() { ++counts_.cut; }
  void waiting(std::uint64_t jobs);

  [[nodiscard]] std::int64_t first_submit_s() const { return counts_.first_submit_s; }
  [[nodiscard]] Summary summary(const NodeRows& rows, const MachineUsage& usage) const;

 private:
  const Jobs& jobs_;
  Summary counts_{};  // without what is computed at the end
  double wait_sum_s_ = 0, slowdown_sum_ = 0;
  std::vector<std::int64_t> waits_s_{};
  std::vector<std::int64_t> promised_s_{};  // by job, the earliest; -1: none; empty: no job has one
  std::map<std::string, std::uint64_t, std::less<>>
      refusals_{};  // by reason, the first kReasonsMax
};

}  // namespace copse::plan
