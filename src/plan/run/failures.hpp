// SPDX-License-Identifier: Apache-2.0
//
// Failures: when the nodes of a stream's `down` events fail, for queries by selection.
//
// Cost: 16 bytes a node and failure; first() O(nodes × log failures + failures of these nodes).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "plan/job.hpp"

namespace copse::plan {

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

}  // namespace copse::plan
