// SPDX-License-Identifier: Apache-2.0
//
// NodeCounts: the future of a machine whose nodes can be exchanged for one another, as a count.
//
// A request for whole nodes, any of them, on a machine whose nodes are alike, can be planned
// without choosing nodes: what counts is how many are taken when. Nodes are chosen at the start.
// Where each job that runs has its nodes until it ends, and nobody holds particular nodes later,
// enough of them are always there: those free at a start were free of all that start later.
//
// Invariants
//   1. planned_ has a span for each job that runs or is promised a start; all of whole nodes.
//   2. At no time more than `usable` nodes are taken, unless nodes went down since.
//   3. bounds_ holds for what is free, from the latest time on that earlier() was asked at.
//
// Cost: that of one Planner of one dimension (time/planner.hpp): about 1 µs for a change, and 2 to
// 3 µs for the earliest start among 10^5 jobs; the nodes of a job are of no account. An earlier start
// than a promised one is looked for only where nodes were freed since others looked
// (time/run_bounds.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "copse/engine.hpp"
#include "time/planner.hpp"
#include "time/run_bounds.hpp"

namespace copse::queue {

class NodeCounts {
 public:
  // Nodes are alike, none is below another, and each is in the tree once. O(nodes).
  [[nodiscard]] static bool alike(const ResourceGraph& graph);
  // How many whole nodes a request asks for, where any will do; 0: it is no such request.
  // REQUIRES alike(graph), and that the request fits the empty machine.
  [[nodiscard]] static std::int64_t requested_nodes(const Request& request);
  // Those that are up, as all above them are. O(nodes).
  [[nodiscard]] static std::int64_t usable(const Engine& engine);
  // Whole nodes of a selection that are up. O(nodes taken).
  [[nodiscard]] static std::int64_t usable(const Engine& engine, const Selection& selection);

  explicit NodeCounts(std::int64_t usable) : usable_(usable) {}
  [[nodiscard]] std::int64_t usable() const { return usable_; }

  void add(std::int64_t start_s, std::int64_t end_s, std::int64_t nodes) {
    if (nodes > 0) planned_.add(start_s, end_s, {&nodes, 1});
  }
  void remove(std::int64_t start_s, std::int64_t end_s, std::int64_t nodes);
  void move(std::int64_t start_s, std::int64_t end_s, std::int64_t to_start_s,
            std::int64_t to_end_s, std::int64_t nodes);
  [[nodiscard]] bool fits(std::int64_t start_s, std::int64_t end_s, std::int64_t nodes) const {
    return nodes <= usable_ && planned_.max_used(0, start_s, end_s) <= usable_ - nodes;
  }
  // The earliest time from `from_s` on, if there is one below `horizon_s`.
  [[nodiscard]] std::optional<std::int64_t> earliest(std::int64_t from_s, std::int64_t duration_s,
                                                     std::int64_t horizon_s,
                                                     std::int64_t nodes) const;
  // The earliest start of [now_s, start_s) of a job that has its nodes from start_s on, for as long.
  // REQUIRES that now_s was never greater.
  [[nodiscard]] std::optional<std::int64_t> earlier(std::int64_t now_s, std::int64_t start_s,
                                                    std::int64_t duration_s, std::int64_t nodes);

 private:
  void freed(std::int64_t from_s, std::int64_t until_s, std::int64_t nodes);
  [[nodiscard]] std::optional<std::int64_t> whole_fit(const RunBounds::Part& part,
                                                      std::int64_t now_s, std::int64_t duration_s,
                                                      std::int64_t nodes) const;

  Planner planned_{1};
  std::int64_t usable_ = 0;
  RunBounds bounds_;
};

}  // namespace copse::queue
