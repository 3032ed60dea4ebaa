// SPDX-License-Identifier: Apache-2.0
//
// Placement: on how many racks jobs are, and in which pieces the free nodes lie, by level. Levels are
// those between the machine and its nodes, if they have several pools: blocks, switches, racks.
//
// Figures
//   pools of a job   the pools of the level that have nodes of it; over jobs of several nodes. The
//                    least possible are as many as the largest pools need to hold the job, if all
//                    nodes were free; or given the nodes that were free when it started
//   fragmentation    1 - (most free nodes in one pool of the level) / (free nodes); 0 if none is free
//
// Size: 4 bytes per node and level, 8 per pool of a level. A change of a node: O(levels); a query:
// O(pools of levels) after a change, else O(levels).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/node_rows.hpp"

namespace copse::plan {

struct LevelFigures {
  std::string level;          // its type, "rack"; with a number, from below, if others have it too
  double mean_pools = 0;      // of a job
  double least_at_start = 0;  // the least possible mean, given the free nodes
  double least = 0;           // the least possible mean, if all were free
  double fragmentation = 0;   // mean over time
};

class Placement {
 public:
  // All nodes are free. O(pools).
  explicit Placement(const NodeRows& rows);

  [[nodiscard]] std::size_t levels() const { return levels_.size(); }
  [[nodiscard]] const std::string& name(std::size_t level) const { return levels_[level].name; }
  void take(std::uint32_t row) { change(row, -1); }
  void give(std::uint32_t row) { change(row, 1); }
  // A job starts on these rows, which are still free.
  void count_job(const std::vector<NodeRange>& ranges, std::int64_t nodes);
  // Time passes without a change.
  void pass(double seconds);
  // Most free nodes in one pool of a level.
  [[nodiscard]] std::int64_t largest(std::size_t level);
  [[nodiscard]] std::int64_t free() const { return free_; }
  [[nodiscard]] double fragmentation(std::size_t level);
  [[nodiscard]] std::vector<LevelFigures> figures() const;

 private:
  struct Level {
    std::string name;
    std::vector<std::uint32_t> pool_of;  // by row; kNone: none
    std::vector<std::int64_t> free;      // by pool
    std::vector<std::int64_t> sizes;  // nodes of pools, the largest first, as sums of the first n
    std::int64_t largest = 0;
    bool known = false;                                      // the largest
    std::uint64_t pools = 0, least = 0, least_at_start = 0;  // of all jobs
    double fragmented_s = 0;
    std::vector<std::uint64_t> met;  // by pool: the last job that has nodes of it
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;
  void change(std::uint32_t row, int sign);
  [[nodiscard]] std::uint64_t least_of_free(std::size_t level, std::int64_t nodes);

  std::vector<Level> levels_;         // the highest first
  std::vector<std::int64_t> sorted_;  // scratch
  std::int64_t free_ = 0;
  std::uint64_t jobs_ = 0;
  double seconds_ = 0;
};

}  // namespace copse::plan
