// SPDX-License-Identifier: Apache-2.0
//
// PlanHistory: a plan as the page has it: written down while plan::schedule() goes on.
//
// Invariant: once a run had no room, none is written down any more, and jobs() is an error.
// Cost: as PageJobs; 24 bytes for each time of a reservation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "copse/error.hpp"
#include "page/page_jobs.hpp"

namespace copse::page {

class PlanHistory {
 public:
  // All must outlive it. REQUIRES that the engine is as before the stream: what it has granted is
  // written down first. Errors: limit: there are more jobs or grants than the page shows.
  [[nodiscard]] static Result<std::unique_ptr<PlanHistory>> begin(const plan::Jobs& jobs,
                                                                  const Engine& engine,
                                                                  const plan::NodeRows& rows);
  PlanHistory(const PlanHistory&) = delete;
  PlanHistory& operator=(const PlanHistory&) = delete;

  // Writes into this history what it is told, and tells `next`. May be asked for once.
  [[nodiscard]] plan::ScheduleObserver observer(plan::ScheduleObserver next);

  // What was told; never nullptr. Errors: limit: that is more than the page shows.
  [[nodiscard]] Result<const PageJobs*> jobs() const;
  // When the most jobs waited, for the first time; 0 if none ever did.
  [[nodiscard]] std::int64_t busiest_s() const { return busiest_s_; }
  // When nodes went down and came back, and reservations: the document "happenings".
  void append_happenings_document(std::string& out) const;

 private:
  PlanHistory(const plan::Jobs& jobs, const Engine& engine, const plan::NodeRows& rows)
      : jobs_(jobs), rows_(rows), finder_(engine.graph(), rows) {}
  void started(std::uint32_t job, std::int64_t start_s, std::int64_t end_s, plan::Ending ending,
               const Grant& grant);
  void add_stream();
  void left(std::uint32_t job, std::int64_t time_s, NeverRan how, const std::string& remark);

  const plan::Jobs& jobs_;
  const plan::NodeRows& rows_;
  PlacementFinder finder_;
  plan::ScheduleObserver next_;
  PageJobs all_;
  std::uint32_t first_ = 0;        // the place of the stream's first job
  std::size_t runs_left_out_ = 0;  // that had no room
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
