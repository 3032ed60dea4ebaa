// SPDX-License-Identifier: Apache-2.0
//
// JobEnds: when the running jobs of a stream end, and how. Both are known at the start of a job,
// because the stream is known: its run time, its limit, cancels, and failures of its nodes.
//
// Cost: add() as Failures::first, and O(log running jobs); take() O(log running jobs).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "plan/job.hpp"
#include "plan/schedule.hpp"

namespace copse::plan {

// Failures: when the nodes of a stream's `down` events fail, for queries by selection.
//
// Cost: 16 bytes a node and failure; first() O(nodes × log failures + failures of these nodes).
class Failures {
 public:
  struct Failure {
    std::int64_t time_s = 0;
    bool requeue = false;
  };

  // The graph must outlive it.
  Failures(const ResourceGraph& graph, const Jobs& jobs);

  // The first failure in (after_s, before_s) of a node that the selection uses, wholly or in part.
  [[nodiscard]] std::optional<Failure> first(const Selection& selection, std::int64_t after_s,
                                             std::int64_t before_s) const;

 private:
  struct OfNode {
    PoolId node;
    Failure failure;
  };
  const ResourceGraph& graph_;
  std::vector<OfNode> failures_;  // by node, then by time
};

class JobEnds {
 public:
  struct End {
    std::int64_t time_s;
    std::uint64_t order;  // of the starts
    std::uint32_t job;
    Ending ending;
    bool cut;  // at its limit, by the end of the clock
    bool operator>(const End& other) const {
      return time_s != other.time_s ? time_s > other.time_s : order > other.order;
    }
  };

  // Both must outlive it.
  JobEnds(const ResourceGraph& graph, const Jobs& jobs);

  // A job starts now with a grant. Returns its end.
  End add(std::uint32_t job, const Grant& grant, std::int64_t now_s);
  // Removes the first end up to `now_s`; none: there is none.
  [[nodiscard]] std::optional<End> take(std::int64_t now_s);
  // The time of the first end; none: no job runs.
  [[nodiscard]] std::optional<std::int64_t> next_s() const;

 private:
  const Jobs& jobs_;
  Failures failures_;
  std::unordered_map<std::uint32_t, std::int64_t> cancels_s_;  // the first of each job
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::uint64_t added_ = 0;
};

}  // namespace copse::plan
