// SPDX-License-Identifier: Apache-2.0
//
// StartChanges: the jobs that start at different times in two schedules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/schedule.hpp"

namespace copse::plan {

// The first start of each job of a stream; none: it does not start.
using Starts = std::vector<std::optional<std::int64_t>>;

// Why jobs never start, by job; "": the job starts, or was withdrawn.
using Refusals = std::vector<std::string>;

// Records what schedule() reports. REQUIRES that both outlive the observer, and have an entry per
// job.
[[nodiscard]] ScheduleObserver note_starts(Starts& starts, Refusals& refusals);

struct StartChange {
  std::uint32_t job = 0;  // of the second schedule
  std::optional<std::int64_t> before_s, after_s;
  std::string why{};  // it does not start after the change
};

// Jobs of the two streams with the same name are the same; a job of the second stream only did not
// start in the first. In the order of the second. O(jobs).
[[nodiscard]] std::vector<StartChange> start_changes(const Jobs& before,
                                                     const Starts& started_before,
                                                     const Jobs& after, const Starts& started_after,
                                                     const Refusals& refused_after);

// A line for each, and a line with the totals.
void append_start_changes(std::string& out, const Jobs& jobs,
                          const std::vector<StartChange>& changes);
// {"id": …, "before": …, "after": …} for each; null: it does not start, with "why" if it was
// refused.
void append_start_changes_json(std::string& out, const Jobs& jobs,
                               const std::vector<StartChange>& changes);

}  // namespace copse::plan
