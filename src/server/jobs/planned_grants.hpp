// SPDX-License-Identifier: Apache-2.0
//
// PlannedGrants: how many grants that begin later each user has beside the queue. They cost the planner
// of every node that they are on, so that a user may have so many at a time.
//
// Invariant: every grant of a user that begins later and was added is counted; perhaps some that began,
// or are gone, until somebody would be refused for them.
// Memory: some 40 bytes for each that is counted.
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

  // Whether this user may have one more. Errors: insufficient, with the limit.
  // Cost: O(1), at the limit O(limit).
  [[nodiscard]] Result<void> admit(const std::string& user, const Engine& engine);
  // Passed over, if it is none that begins later.
  void add(const std::string& user, JobId grant, const Engine& engine);

 private:
  std::size_t of_user_;
  std::unordered_map<std::string, std::unordered_set<JobId>> by_user_{};
};

}  // namespace copse::server
