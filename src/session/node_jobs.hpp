// SPDX-License-Identifier: Apache-2.0
//
// NodeJobs: the running jobs of each node; reservations are not jobs.
//
// Cost: O(entries of grants + nodes below entries that are whole).
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
