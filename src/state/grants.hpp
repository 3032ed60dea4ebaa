// SPDX-License-Identifier: Apache-2.0
//
// Grants: who has what, and over which time. A number stands for a grant in holds and in the clock;
// it is given again after its grant is gone.
//
// Invariants: by_job_ has every grant once; a number that is free has job 0 and an empty selection.
// Cost: add, drop, find O(1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "copse/match.hpp"

namespace copse {

class Grants {
 public:
  // REQUIRES that the job has none.
  std::uint32_t add(JobId job, std::int64_t start, std::int64_t end);
  void drop(std::uint32_t number);

  [[nodiscard]] Grant& operator[](std::uint32_t number) { return grants_[number]; }
  [[nodiscard]] const Grant& operator[](std::uint32_t number) const { return grants_[number]; }
  [[nodiscard]] std::optional<std::uint32_t> number_of(JobId job) const;
  [[nodiscard]] const Grant* find(JobId job) const;  // nullptr: it has none
  [[nodiscard]] bool contains(JobId job) const { return by_job_.contains(job); }
  [[nodiscard]] std::size_t size() const { return by_job_.size(); }
  [[nodiscard]] bool empty() const { return by_job_.empty(); }
  [[nodiscard]] std::vector<JobId> jobs() const;  // ascending

  // visit(number, grant), in no order.
  template <class Visit>
  void for_each(Visit visit) {
    for (const auto& [job, number] : by_job_) visit(number, grants_[number]);
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [job, number] : by_job_) visit(number, grants_[number]);
  }

 private:
  std::vector<Grant> grants_;  // by number
  std::vector<std::uint32_t> free_;
  std::unordered_map<JobId, std::uint32_t> by_job_;
};

}  // namespace copse
