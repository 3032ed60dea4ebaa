// SPDX-License-Identifier: Apache-2.0
//
// FragmentationHistory: the fragmentation of the lowest level of the machine over time, for the page:
// as MachineStatus::Level has it, of the nodes that the watch calls free. A MachineStatus would count all
// pools.
//
// Invariants
//   1. Times of steps ascend. A step is valid until the next one; the nodes are looked at every kEveryS.
//   2. There are at most kStepsMax steps, the last ones: at least a day.
//
// It is kept in memory only: it begins when the service starts. Cost: note() O(nodes · log nodes)
// once in kEveryS, else O(1). Memory: 16 bytes a step, and a LevelTree.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "copse/graph.hpp"
#include "match/few_racks/level_tree.hpp"
#include "server/page/machine_watch.hpp"

namespace copse::server {

class FragmentationHistory {
 public:
  static constexpr std::int64_t kEveryS = 30;
  static constexpr std::size_t kStepsMax = 2'880;
  struct Step {
    std::int64_t time_s = 0;
    double share = 0;
  };

  // Looks at the nodes once in kEveryS, and adds a step if the share is another. REQUIRES that the watch is
  // up to date.
  void note(const MachineWatch& watch, const ResourceGraph& graph, std::int64_t now_s);

  // The lowest level, "rack"; "": the machine has no levels.
  [[nodiscard]] const std::string& level() const { return level_; }
  [[nodiscard]] const std::deque<Step>& steps() const { return steps_; }

 private:
  void follow(const MachineWatch& watch, const ResourceGraph& graph);
  [[nodiscard]] double share_of(const MachineWatch& watch) const;

  LevelTree tree_;
  std::uint64_t generation_ = UINT64_MAX;  // of the watch, for tree_
  std::string level_;
  std::uint32_t height_ = 0;           // of the lowest level
  std::int64_t looked_s_ = INT64_MIN;  // INT64_MIN: never
  std::deque<Step> steps_;
};

}  // namespace copse::server
