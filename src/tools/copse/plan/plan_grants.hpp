// SPDX-License-Identifier: Apache-2.0
//
// The grants of a plan as JSON lines, {"id", "R"} for each start, which --running reads again.
#pragma once

#include <optional>
#include <string>

#include "copse/engine.hpp"
#include "host/output.hpp"
#include "plan/job.hpp"
#include "plan/schedule.hpp"
#include "rset/rset_scheduling.hpp"
#include "session/grant_text.hpp"

namespace copse {

class PlanGrants {
 public:
  // The arguments must outlive it. `path` "": nothing is written. `scheduling`: TreePool's key, if its
  // traverser is used.
  PlanGrants(const std::string& path, const plan::Jobs& jobs, const Engine& engine,
             const std::optional<RScheduling>& scheduling);

  // Errors: io (the file cannot be opened).
  [[nodiscard]] Result<void> open();
  // Forwards to `next`, and writes each start. O(resources of the grant) for each.
  [[nodiscard]] plan::ScheduleObserver observer(plan::ScheduleObserver next);
  // Errors: io.
  [[nodiscard]] Result<void> close();

 private:
  [[nodiscard]] bool wanted() const { return !path_.empty(); }
  void write(std::uint32_t job, std::int64_t start_s, const Grant& grant);

  const std::string& path_;
  const plan::Jobs& jobs_;
  const Engine& engine_;
  GrantText text_;
  Output out_;
};

}  // namespace copse
