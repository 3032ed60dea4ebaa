// SPDX-License-Identifier: Apache-2.0
//
// PlannedGrants: the number of grants with a later start outside the queue, per user. Each costs
// the planner of all its nodes, so it is limited.
//
// Invariant: it counts each added grant of a user that has not started; ones that started or ended
// may be counted until the limit is reached, and are then removed. Memory: about 40 bytes a grant.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "copse/engine.hpp"

namespace copse::server {

class PlannedGrants {
 public:
  explicit PlannedGrants(std::size_t of_user) : of_user_(of_user) {}

  // Whether the user may have one more. Errors: insufficient, with the limit. Cost: O(1); O(limit)
  // at the limit.
  [[nodiscard]] Result<void> admit(const std::string& user, const Engine& engine);
  // Grants that have started are ignored.
  void add(const std::string& user, JobId grant, const Engine& engine);

 private:
  std::size_t of_user_;
  std::unordered_map<std::string, std::unordered_set<JobId>> by_user_{};
};

}  // namespace copse::server
