// SPDX-License-Identifier: Apache-2.0
//
// Record: the result of a schedule: times and nodes of jobs, and the figures of the whole.
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
// Invariants: runs() are in the order of starts; nodes are kept only if keep_nodes is set. Memory:
// 8 bytes a job, 8 more if any has a promised start; with nodes 56 bytes a job, 12 a range of
// nodes, and 40 a sample.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plan/job.hpp"
#include "plan/node_rows.hpp"
#include "plan/outages.hpp"
#include "plan/placement.hpp"
#include "plan/schedule.hpp"

namespace copse::plan {

inline constexpr std::int64_t kSlowdownBound_s = 10;
// "killed", "cancelled", "failed" or "requeued"; nullptr: a normal end.
[[nodiscard]] const char* word(Ending ending);
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

class Record {
 public:
  struct Run {
    std::uint32_t job;
    std::int64_t start_s, end_s;
    Ending ending;
    Use use;
    std::size_t first_range;
    std::uint32_t ranges;
    std::uint32_t draw = 0;  // into draws()
  };
  // A job that is not of the stream.
  struct OutsideJob {
    JobId id;
    std::int64_t start_s, end_s;
    Use use;
    std::size_t first_range = 0;
    std::uint32_t ranges = 0;
  };
  // A job that never started.
  struct NeverStarted {
    std::uint32_t job;
    bool refused;  // else withdrawn
  };
  struct UsageSample {
    std::int64_t time_s;
    std::uint32_t busy_nodes;
    std::int64_t cores;
    std::uint64_t waiting;
    double fragmentation = 0;  // of the lowest level
  };

  // Both must outlive the record. `line` receives a JSON line when a job starts or is refused.
  Record(const Jobs& jobs, const NodeRows& rows, bool keep_nodes,
         std::function<void(std::string_view)> line = nullptr);

  // Adds the jobs that the engine has before the stream begins, and the nodes that are down.
  // REQUIRES that the record is empty, and that the engine outlives the recording.
  void add_outside_jobs(const Engine& engine);

  [[nodiscard]] ScheduleObserver observer();  // records into this object
  [[nodiscard]] Summary summary() const;

  [[nodiscard]] const Jobs& jobs() const { return jobs_; }
  [[nodiscard]] const NodeRows& node_rows() const { return rows_; }
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
  // When the job was submitted: at the time of the stream, or after another job.
  [[nodiscard]] std::int64_t submit_s(std::uint32_t job) const {
    const auto at = submitted_s_.find(job);
    return at == submitted_s_.end() ? jobs_.jobs[job].submit_s : at->second;
  }
  [[nodiscard]] const std::vector<NeverStarted>& never_started() const { return never_started_; }
  // The charges of jobs to hierarchical resources, each once: "flat:2;natural(node[01-32]):5";
  // first "".
  [[nodiscard]] const std::vector<std::string>& draws() const { return draws_; }
  [[nodiscard]] const NodeRange* ranges(const Run& run) const {
    return ranges_.data() + run.first_range;
  }
  [[nodiscard]] const std::vector<OutsideJob>& outside_jobs() const { return outside_jobs_; }
  [[nodiscard]] const NodeRange* ranges(const OutsideJob& other) const {
    return ranges_.data() + other.first_range;
  }
  [[nodiscard]] const std::vector<UsageSample>& samples() const { return samples_; }
  // An occurrence of a reservation, with its rows, ascending. Kept if nodes are.
  struct Reserved {
    std::string name;
    std::int64_t start_s, end_s;
    std::vector<NodeRange> nodes;
  };
  [[nodiscard]] const std::vector<Reserved>& reserved() const { return reserved_; }
  [[nodiscard]] std::vector<Outage> outages() const {
    return plan::outages(jobs_, rows_, down_at_first_);
  }
  [[nodiscard]] std::uint32_t tracks_max() const { return tracks_max_; }
  // The lowest level, whose fragmentation is sampled; "": there are no levels.
  [[nodiscard]] std::string sampled_level() const {
    return placement_.levels() == 0 ? "" : placement_.name(placement_.levels() - 1);
  }

 private:
  void started(std::uint32_t job, std::int64_t start_s, std::int64_t end_s, Ending ending,
               const Grant& grant);
  [[nodiscard]] std::uint32_t number_of(const GrantCharges& draw);
  void ended(std::uint32_t job, std::int64_t time_s);
  void promised(std::uint32_t job, std::int64_t start_s);
  void refused(std::uint32_t job, const Error& error);
  void withdrawn(std::uint32_t job, std::int64_t time_s, bool deadline);
  void add_sample(std::int64_t time_s, std::size_t waiting);
  void keep_sample(std::uint64_t waiting);
  void reserve(const std::string& name, std::int64_t start_s, std::int64_t end_s,
               const std::vector<PoolId>& nodes);
  void move_to(std::int64_t time_s);
  void pass_to(std::int64_t time_s);
  void assign_tracks(std::vector<NodeRange>& runs);
  void write_started(const Run& run, const std::vector<NodeRange>& ranges);

  const Jobs& jobs_;
  const NodeRows& rows_;
  const bool keep_;
  std::function<void(std::string_view)> line_;

  // Running jobs: ranges by slot; slots are reused.
  struct Live {
    std::vector<NodeRange> ranges;
    std::int64_t cores = 0;
  };
  void occupy(Live& live);
  void release(const Live& live);
  void begin_or_end(std::uint32_t other, bool begins);

  std::vector<Live> live_;
  std::vector<std::uint32_t> free_slots_, slot_of_;
  std::vector<std::uint32_t> on_row_;       // number of jobs
  std::vector<std::uint64_t> tracks_used_;  // by row: a bit a track
  std::vector<NodeRange> split_;            // scratch
  Placement placement_;

  struct Change {  // a start or an end of an outside job
    std::int64_t time_s;
    bool begins;  // ends come first
    std::uint32_t other;
    auto operator<=>(const Change&) const = default;
  };
  std::vector<std::uint32_t> down_at_first_;  // rows
  std::vector<OutsideJob> outside_jobs_;
  std::vector<Live> outside_live_;
  std::vector<Change> changes_;  // ascending
  std::size_t next_change_ = 0;

  const Engine* engine_ = nullptr;  // names the charges
  std::vector<std::string> draws_{""};
  std::map<std::string, std::uint32_t> draw_numbers_;
  std::vector<Run> runs_;
  std::vector<NeverStarted> never_started_;
  std::vector<NodeRange> ranges_;
  std::vector<UsageSample> samples_;
  std::vector<Reserved> reserved_;
  std::uint32_t tracks_max_ = 1;

  std::int64_t time_s_ = 0, first_submit_s_ = 0;
  std::uint32_t busy_nodes_ = 0;
  std::int64_t cores_ = 0;
  double node_seconds_ = 0, core_seconds_ = 0, wait_sum_s_ = 0, slowdown_sum_ = 0;
  std::unordered_map<std::uint32_t, std::int64_t> submitted_s_;  // of jobs with submitted_after
  std::vector<std::int64_t> waits_s_;
  std::vector<std::int64_t> promised_s_;  // by job, the earliest; -1: none; empty: no job has one
  std::uint64_t promised_ = 0, broken_ = 0;
  std::uint64_t refused_ = 0, longest_queue_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> refusals_;  // by reason, the first kReasonsMax
  std::uint64_t cancelled_ = 0, past_deadline_ = 0, failed_ = 0, requeues_ = 0, killed_ = 0,
                cut_ = 0;
  std::int64_t last_end_s_ = 0;
};

}  // namespace copse::plan
