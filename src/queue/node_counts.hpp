// SPDX-License-Identifier: Apache-2.0
//
// NodeCounts: the number of nodes in use over time, for a machine whose nodes are interchangeable.
//
// A request for whole nodes, no matter which, on a machine of equal nodes can be planned without
// choosing nodes: only their number over time counts. Nodes are chosen at the start. If each
// running job keeps its nodes until it ends, and no particular nodes are reserved for later, there
// are always enough: nodes that are free at a start are free of all later starts.
//
// Invariants
//   1. planned_ has a span for each job that runs or has a promised start; all of whole nodes.
//   2. At no time are more than `usable` nodes in use, unless nodes failed since.
//   3. bounds_ holds for free nodes, from the latest `now_s` of earlier() on.
//
// Cost: that of a Planner of one dimension (time/planner.hpp): about 1 µs per change, and 2 to 3 µs
// for the earliest start among 10^5 jobs, whatever the number of nodes of a job. A start earlier
// than a promised one is searched only where nodes were freed since the last search
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
  // Whether all nodes are equal, none is below another, and each is in the tree once. O(nodes).
  [[nodiscard]] static bool alike(const ResourceGraph& graph);
  // The number of whole nodes that a request asks for, no matter which; 0: another request.
  // REQUIRES alike(graph), and that the request fits the empty machine.
  [[nodiscard]] static std::int64_t requested_nodes(const Request& request);
  // Nodes that are up, with all pools above them. O(nodes).
  [[nodiscard]] static std::int64_t usable(const Engine& engine);
  // Whole nodes of a selection that are up. O(nodes of the selection).
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
  // The earliest start from `from_s` on, below `horizon_s`.
  [[nodiscard]] std::optional<std::int64_t> earliest(std::int64_t from_s, std::int64_t duration_s,
                                                     std::int64_t horizon_s,
                                                     std::int64_t nodes) const;
  // The earliest start in [now_s, start_s) of a job that has its nodes from start_s on, for the
  // same time. REQUIRES that now_s never decreases.
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
