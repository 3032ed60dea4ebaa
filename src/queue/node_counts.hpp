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
//
// Cost: that of one Planner of one dimension (time/planner.hpp): about 1 µs for a change, and 2 to
// 3 µs for the earliest start among 10^5 jobs; the nodes of a job are of no account.
#pragma once

#include <cstdint>
#include <optional>

#include "copse/engine.hpp"
#include "time/planner.hpp"

namespace copse::queue {

class NodeCounts {
 public:
  // Nodes are alike, none is below another, and each is in the tree once. O(nodes).
  [[nodiscard]] static bool alike(const ResourceGraph& graph);
  // How many whole nodes a request asks for, where any will do; 0: it is no such request.
  // REQUIRES alike(graph), and that the request fits the empty machine.
  [[nodiscard]] static std::int64_t asked(const Request& request);
  // Those that are up, as all above them are. O(nodes).
  [[nodiscard]] static std::int64_t usable(const Engine& engine);
  // Whole nodes of a selection that are up. O(nodes taken).
  [[nodiscard]] static std::int64_t usable(const Engine& engine, const Selection& selection);

  explicit NodeCounts(std::int64_t usable) : usable_(usable) {}
  [[nodiscard]] std::int64_t usable() const { return usable_; }

  void add(std::int64_t start_s, std::int64_t end_s, std::int64_t nodes) {
    if (nodes > 0) planned_.add(start_s, end_s, {&nodes, 1});
  }
  void remove(std::int64_t start_s, std::int64_t end_s, std::int64_t nodes) {
    if (nodes > 0) planned_.remove(start_s, end_s, {&nodes, 1});
  }
  void move(std::int64_t start_s, std::int64_t end_s, std::int64_t to_start_s,
            std::int64_t to_end_s, std::int64_t nodes) {
    if (nodes > 0) planned_.move(start_s, end_s, to_start_s, to_end_s, {&nodes, 1});
  }
  [[nodiscard]] bool fits(std::int64_t start_s, std::int64_t end_s, std::int64_t nodes) const {
    return nodes <= usable_ && planned_.max_used(0, start_s, end_s) <= usable_ - nodes;
  }
  // How many are taken at all times of [from_s, until_s).
  [[nodiscard]] std::int64_t least_taken(std::int64_t from_s, std::int64_t until_s) const {
    return planned_.min_used(0, from_s, until_s);
  }
  // The earliest time from `from_s` on, if there is one below `horizon_s`.
  [[nodiscard]] std::optional<std::int64_t> earliest(std::int64_t from_s, std::int64_t duration_s,
                                                     std::int64_t horizon_s,
                                                     std::int64_t nodes) const;
  // The earliest start of [from_s, before_s) of a job that has its nodes from start_s on, for as
  // long. REQUIRES before_s <= start_s; that it has no start of [now_s, from_s).
  [[nodiscard]] std::optional<std::int64_t> earlier(std::int64_t now_s, std::int64_t from_s,
                                                    std::int64_t before_s, std::int64_t duration_s,
                                                    std::int64_t start_s, std::int64_t nodes) const;

 private:
  Planner planned_{1};
  std::int64_t usable_ = 0;
};

}  // namespace copse::queue
