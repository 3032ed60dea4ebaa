// SPDX-License-Identifier: Apache-2.0
//
// PlanHistory: the jobs of a plan for the page, recorded during plan::schedule().
//
// Invariant: after a run that exceeds the limits, no further run is recorded, and jobs() is an
// error.
// Cost: as PageJobs; 24 bytes for each occurrence of a reservation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "copse/error.hpp"
#include "page/page_jobs.hpp"

namespace copse::page {

class PlanHistory {
 public:
  // All must outlive it. REQUIRES that the engine is in the state before the stream: its grants are
  // recorded first. Errors: limit: there are more jobs or grants than the page shows.
  [[nodiscard]] static Result<std::unique_ptr<PlanHistory>> begin(const plan::Jobs& jobs,
                                                                  const Engine& engine,
                                                                  const NodeRows& rows);
  PlanHistory(const PlanHistory&) = delete;
  PlanHistory& operator=(const PlanHistory&) = delete;

  // Records into this history, and calls `next`. REQUIRES that it is called at most once.
  [[nodiscard]] plan::ScheduleObserver observer(plan::ScheduleObserver next);

  // The recorded jobs; never nullptr. Errors: limit: there are more than the page shows.
  [[nodiscard]] Result<const PageJobs*> jobs() const;
  // The first time with the most waiting jobs; 0 if none ever waited.
  [[nodiscard]] std::int64_t busiest_s() const { return busiest_s_; }
  // The document "availability": changes of nodes, and reservations.
  void append_availability_document(std::string& out) const;

 private:
  PlanHistory(const plan::Jobs& jobs, const Engine& engine, const NodeRows& rows)
      : jobs_(jobs), rows_(rows), finder_(engine.graph(), rows) {}
  void started(std::uint32_t job, std::int64_t start_s, std::int64_t end_s, plan::Ending ending,
               const Grant& grant);
  void add_stream();
  void left(std::uint32_t job, std::int64_t time_s, NeverRan how, const std::string& remark);

  const plan::Jobs& jobs_;
  const NodeRows& rows_;
  PlacementFinder finder_;
  plan::ScheduleObserver next_;
  PageJobs all_;
  std::uint32_t first_ = 0;        // index of the stream's first job
  std::size_t runs_left_out_ = 0;  // beyond the limits
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
