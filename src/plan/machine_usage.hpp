// SPDX-License-Identifier: Apache-2.0
//
// MachineUsage: the nodes that running jobs have, row by row, and how much of the machine they used
// over time.
//
// Invariants: a row is busy while a job has any of it; jobs that share a row have different tracks, up to
// kTracksMax of them. Cost of a job: O(rows of its nodes), and that of Placement.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/node_rows.hpp"
#include "plan/placement.hpp"

namespace copse::plan {

// The nodes of one job.
struct UsedRows {
  std::vector<NodeRange> ranges{};
  std::int64_t cores = 0;
};

class MachineUsage {
 public:
  static constexpr std::uint32_t kTracksMax = 64;

  // Time counts from `first_s` on. REQUIRES that the rows outlive it.
  MachineUsage(const NodeRows& rows, std::int64_t first_s);

  // The row is down: it has no free node.
  void take_down(std::uint32_t row) { placement_.take(row); }
  // A job of the stream starts on these rows, which are still free.
  void count_job(const UsedRows& job, std::int64_t nodes) {
    placement_.count_job(job.ranges, nodes);
  }
  // Splits the ranges of a job by track: the first free one on each row.
  void occupy(UsedRows& job);
  void release(const UsedRows& job);
  // Time passes without a change.
  void pass_to(std::int64_t time_s);

  [[nodiscard]] std::int64_t time_s() const { return time_s_; }
  [[nodiscard]] std::uint32_t busy_nodes() const { return busy_nodes_; }
  [[nodiscard]] std::int64_t cores() const { return cores_; }
  [[nodiscard]] double node_seconds() const { return node_seconds_; }
  [[nodiscard]] double core_seconds() const { return core_seconds_; }
  [[nodiscard]] std::uint32_t tracks_max() const { return tracks_max_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }
  // Of the lowest level; 0: there are no levels.
  [[nodiscard]] double fragmentation();

 private:
  std::int64_t first_s_, time_s_ = 0;
  std::vector<std::uint32_t> on_row_;       // number of jobs
  std::vector<std::uint64_t> tracks_used_;  // by row: a bit a track
  std::vector<NodeRange> split_{};          // scratch
  Placement placement_;
  std::uint32_t tracks_max_ = 1, busy_nodes_ = 0;
  std::int64_t cores_ = 0;
  double node_seconds_ = 0, core_seconds_ = 0;
};

}  // namespace copse::plan
