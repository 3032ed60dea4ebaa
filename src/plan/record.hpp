// SPDX-License-Identifier: Apache-2.0
//
// Record: the result of a schedule: times and nodes of jobs, samples of the machine, and the figures
// of the whole (summary.hpp).
//
// Invariants: runs() are in the order of starts; nodes are kept only if keep_nodes is set. Memory: that
// of JobFigures; with nodes 56 bytes a job, 12 a range of nodes, and 40 a sample.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/node_rows.hpp"
#include "plan/job.hpp"
#include "plan/job_line_writer.hpp"
#include "plan/machine_usage.hpp"
#include "plan/outages.hpp"
#include "plan/schedule.hpp"
#include "plan/summary.hpp"

namespace copse::plan {

class Record {
 public:
  struct Run {
    std::uint32_t job;
    std::int64_t start_s, end_s;
    Ending ending;
    NodeUse use;
    std::size_t first_range;
    std::uint32_t ranges;
    std::uint32_t draw = 0;  // into draws()
  };
  // A job that is not of the stream.
  struct OutsideJob {
    JobId id;
    std::int64_t start_s, end_s;
    NodeUse use;
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
  [[nodiscard]] Summary summary() const { return figures_.summary(rows_, usage_); }

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
  [[nodiscard]] std::uint32_t tracks_max() const { return usage_.tracks_max(); }
  // The lowest level, whose fragmentation is sampled; "": there are no levels.
  [[nodiscard]] std::string sampled_level() const {
    const std::size_t levels = usage_.placement().levels();
    return levels == 0 ? "" : usage_.placement().name(levels - 1);
  }

 private:
  void started(std::uint32_t job, std::int64_t start_s, std::int64_t end_s, Ending ending,
               const Grant& grant);
  [[nodiscard]] std::uint32_t number_of(const GrantCharges& draw);
  void ended(std::uint32_t job, std::int64_t time_s);
  void refused(std::uint32_t job, const Error& error);
  void withdrawn(std::uint32_t job, std::int64_t time_s, bool deadline);
  void add_sample(std::int64_t time_s, std::size_t waiting);
  void keep_sample(std::uint64_t waiting);
  void reserve(const std::string& name, std::int64_t start_s, std::int64_t end_s,
               const std::vector<PoolId>& nodes);
  void move_to(std::int64_t time_s);
  void begin_or_end(std::uint32_t outside_job, bool begins);

  const Jobs& jobs_;
  const NodeRows& rows_;
  const bool keep_;
  JobLineWriter lines_;
  JobFigures figures_;
  MachineUsage usage_;

  std::unordered_map<std::uint32_t, std::int64_t> submitted_s_{};  // of jobs with submitted_after
  std::vector<UsedRows> live_{};  // running jobs, by slot; slots are reused
  std::vector<std::uint32_t> free_slots_{}, slot_of_;

  struct Change {  // a start or an end of an outside job
    std::int64_t time_s;
    bool begins;  // ends come first
    std::uint32_t outside_job;
    auto operator<=>(const Change&) const = default;
  };
  std::vector<std::uint32_t> down_at_first_{};  // rows
  std::vector<OutsideJob> outside_jobs_{};
  std::vector<UsedRows> outside_live_{};
  std::vector<Change> changes_{};  // ascending
  std::size_t next_change_ = 0;

  const Engine* engine_ = nullptr;  // names the charges
  std::vector<std::string> draws_{""};
  std::map<std::string, std::uint32_t> draw_numbers_{};
  std::vector<Run> runs_{};
  std::vector<NeverStarted> never_started_{};
  std::vector<NodeRange> ranges_{};
  std::vector<UsageSample> samples_{};
  std::vector<Reserved> reserved_{};
};

}  // namespace copse::plan
