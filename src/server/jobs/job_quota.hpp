// SPDX-License-Identifier: Apache-2.0
//
// JobQuota: how many jobs that have not ended there may be, and how long their texts, in all and of
// each user. Some places are kept for operators, so that users together cannot shut them out.
//
// Invariant: what is counted is what was added and not removed.
// Memory: some 100 bytes for each user who has such jobs.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "server/jobs/job_row.hpp"

namespace copse::server {

class JobQuota {
 public:
  struct Limits {
    std::size_t jobs = 1'000'000, jobs_of_user = 100'000;
    std::size_t jobs_kept = 10'000;  // of them, for operators alone
    std::size_t bytes = std::size_t{512} << 20, bytes_of_user = std::size_t{64} << 20;
    std::size_t bytes_kept = std::size_t{32} << 20;
    std::size_t bytes_of_job = std::size_t{1} << 20;
  };

  explicit JobQuota(Limits limits) : limits_(limits) {}

  // Whether one more job may come; an operator is bound by the limits of all alone.
  // Errors: limit (its texts); insufficient (there are too many), which name the limit.
  [[nodiscard]] Result<void> admit(const JobRow& row, bool operates) const;
  void add(const JobRow& row);
  void remove(const JobRow& row);  // REQUIRES that it was added, with the same texts
  [[nodiscard]] std::size_t jobs() const { return all_.jobs; }
  [[nodiscard]] std::size_t bytes() const { return all_.bytes; }

 private:
  struct Use {
    std::size_t jobs = 0, bytes = 0;
  };
  Limits limits_;
  Use all_{};
  std::unordered_map<std::string, Use> by_user_{};
};

// The bytes of what a job has as text.
[[nodiscard]] std::size_t text_bytes(const JobRow& row);

}  // namespace copse::server
