// SPDX-License-Identifier: Apache-2.0
//
// PlanHistory: a plan as the page has it: written down while plan::schedule() goes on.
//
// Cost: as PageJobs; 24 bytes for each time of a reservation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "copse/error.hpp"
#include "page/page_jobs.hpp"

namespace copse::page {

class PlanHistory {
 public:
  // All must outlive it. REQUIRES that the engine is as before the stream: what it has granted is
  // written down first.
  PlanHistory(const plan::Jobs& jobs, const Engine& engine, const plan::Lanes& lanes);

  // Writes into this history what it is told, and tells `next`. May be asked for once.
  [[nodiscard]] plan::Watch watch(plan::Watch next);

  // Errors: limit: what was told is more than the page shows.
  [[nodiscard]] Result<void> checked() const { return ok_; }
  [[nodiscard]] const PageJobs& jobs() const { return all_; }
  // When the most jobs waited, for the first time; 0 if none ever did.
  [[nodiscard]] std::int64_t busiest_s() const { return busiest_s_; }
  // When nodes went down and came back, and reservations: the document "happenings".
  void append_happenings_document(std::string& out) const;

 private:
  void started(std::uint32_t job, std::int64_t start_s, std::int64_t end_s, plan::Ending ending,
               const Selection& selection);
  void left(std::uint32_t job, std::int64_t time_s, NeverRan how, const std::string& remark);

  const plan::Jobs& jobs_;
  const plan::Lanes& lanes_;
  PlaceFinder finder_;
  plan::Watch next_;
  PageJobs all_;
  Result<void> ok_{};
  std::uint32_t first_ = 0;  // the place of the stream's first job
  std::size_t waiting_max_ = 0;
  std::int64_t busiest_s_ = 0;

  struct Reserved {
    std::string name;
    std::int64_t start_s, end_s;
    std::vector<PoolId> nodes;
  };
  std::vector<Reserved> reserved_;
};

}  // namespace copse::page
