// SPDX-License-Identifier: Apache-2.0
//
// The dependencies of a cluster's waiting jobs, in terms of a stream: ends of running jobs become
// submit times, waiting jobs become dependencies, and a hold is an event at the submission. A job
// is held if it waits for a job that the stream left out, for one that runs without end, or for the
// failure of a running one.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "copse/error.hpp"
#include "formats/cluster_jobs.hpp"
#include "plan/job.hpp"

namespace copse::plan {

class ClusterWaits {
 public:
  // The list must outlive it. O(jobs).
  explicit ClusterWaits(const ClusterJobs& list);

  // Sets the submit time of a job that was made from one of the list. `begin_s`: time 0 of the
  // stream.
  void add(const ClusterJob& job, std::int64_t begin_s, Job& made);
  // All jobs are made, and in the order of the stream. Errors: those of set_after. O(jobs + their
  // dependencies).
  [[nodiscard]] Result<void> finish(Jobs& jobs);
  // The number of jobs that wait for the end of running ones.
  [[nodiscard]] std::size_t for_running() const { return for_running_.size(); }

 private:
  struct Wait {
    std::string_view job, other;
    Dependency::On on;
    std::int64_t later_s = 0;
  };
  struct WaitReason {
    Dependency::On on;
    std::int64_t later_s = 0;
  };
  void await(const ClusterJob& job, const ClusterJob& other, WaitReason what, std::int64_t begin_s,
             Job& made);

  std::unordered_map<std::string_view, std::vector<const ClusterJob*>> by_id_;
  std::unordered_map<std::string, std::vector<const ClusterJob*>> by_user_and_name_;
  std::vector<Wait> waits_;
  std::vector<std::string_view> held_;
  std::unordered_set<std::string_view> for_running_;
};

}  // namespace copse::plan
