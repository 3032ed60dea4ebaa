// SPDX-License-Identifier: Apache-2.0
//
// JobQuota: limits on unfinished jobs and the bytes of their texts, in total and per user. A part
// is reserved for operators, so that users together cannot exhaust it.
//
// Invariant: the usage is the sum over the jobs that were added and not removed. Memory: about 100
// bytes for each user with such jobs.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "server/jobs/job_row.hpp"

namespace copse::server {

class JobQuota {
 public:
  struct Limits {
    std::size_t jobs = 1'000'000, jobs_per_user = 100'000;
    std::size_t jobs_for_operators = 10'000;  // part of `jobs` reserved for operators
    std::size_t bytes = std::size_t{512} << 20, bytes_per_user = std::size_t{64} << 20;
    std::size_t bytes_for_operators = std::size_t{32} << 20;
    std::size_t bytes_per_job = std::size_t{1} << 20;
  };

  explicit JobQuota(Limits limits) : limits_(limits) {}

  // Whether one more job is allowed; for operators only the total limits apply. Errors: limit (the
  // job's texts); insufficient (too many jobs or bytes), with the limit.
  [[nodiscard]] Result<void> admit(const JobRow& row, bool is_operator) const;
  void add(const JobRow& row);
  void remove(const JobRow& row);  // REQUIRES that it was added with the same texts
  [[nodiscard]] std::size_t jobs() const { return all_.jobs; }
  [[nodiscard]] std::size_t bytes() const { return all_.bytes; }

 private:
  struct Usage {
    std::size_t jobs = 0, bytes = 0;
  };
  Limits limits_;
  Usage all_{};
  std::unordered_map<std::string, Usage> by_user_{};
};

// The bytes of a job's texts.
[[nodiscard]] std::size_t text_bytes(const JobRow& row);

}  // namespace copse::server
