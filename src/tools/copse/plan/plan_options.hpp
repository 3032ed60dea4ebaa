// SPDX-License-Identifier: Apache-2.0
//
// The options of `copse plan`, and the runs other than a single schedule.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/machine_setup.hpp"
#include "plan/output/summary_text.hpp"
#include "plan/workload.hpp"
#include "tools/copse/command_line/command_line.hpp"

namespace copse {

struct PlanOptions {
  MachineSetup setup;
  std::string jobs, from, out, gantt, page, trace, grants, jobs_csv, write_jobs, hres;
  std::string reservations, events;
  std::string discipline = "easy";
  std::string queues, priority;  // a file; the name of a rule
  std::string what_if;           // a file
  // Times of the stream, or of a real clock (time_of_stream() in plan_input.hpp).
  std::optional<std::int64_t> why;
  std::optional<std::int64_t> page_at;  // what a page shows first; none: when the most jobs wait
  std::vector<std::string> compare;     // disciplines; empty: one schedule
  std::int64_t processors_per_node = 0;
  plan::Workload workload{.jobs = 0, .nodes = 0};
  std::vector<std::string> trace_fields;
  bool summary = false, table = false;
  bool whole_reasons = false;  // of --why, not only the short causes

  [[nodiscard]] bool uses(std::string_view field) const {
    return std::ranges::find(trace_fields, field) != trace_fields.end();
  }
};

// Adds them all, those of the machine too.
void add_plan_options(CommandLine& line, PlanOptions& options);

// --compare: writes a line of figures for each discipline, or a table. Returns the exit status.
[[nodiscard]] int run_comparison(const PlanOptions& options, plan::Provenance made_with);

// --what-if: runs the stream without and with the lines of another file, and writes the jobs that start
// at another time. Returns the exit status.
[[nodiscard]] int run_what_if(const PlanOptions& options);

// --why: runs the stream up to a time, and writes for each job that waits then why it waits and when it
// would start. Returns the exit status: 1 if no job waits.
[[nodiscard]] int run_why(const PlanOptions& options);

}  // namespace copse
