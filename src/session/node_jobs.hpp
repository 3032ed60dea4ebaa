// SPDX-License-Identifier: Apache-2.0
//
// NodeJobs: which jobs have something of each node at present; reservations are no jobs.
//
// Cost: made in O(grants' entries + nodes of what is taken whole above them).
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "copse/engine.hpp"

namespace copse {

class NodeJobs {
 public:
  explicit NodeJobs(const Engine& engine);
  // Ascending.
  [[nodiscard]] std::span<const JobId> of(PoolId node) const;

 private:
  std::unordered_map<std::uint32_t, std::vector<JobId>> jobs_;  // by node
};

}  // namespace copse
