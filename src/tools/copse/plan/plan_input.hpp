// SPDX-License-Identifier: Apache-2.0
//
// The stream of a plan: read from its file, in any format, or generated.
#pragma once

#include "graph/node_rows.hpp"
#include "plan/job.hpp"
#include "plan/record.hpp"
#include "queue/config/queue_config.hpp"
#include "tools/copse/plan/plan_options.hpp"

namespace copse {

// Errors have the file and line, if any. Options without effect are reported on standard error.
// `defaults`: of jobs in lists of clusters. `more`: a file whose lines follow those of the stream; "":
// none.
[[nodiscard]] Result<plan::Jobs> read_plan_input(const PlanOptions& options, const Engine& engine,
                                                 const NodeRows& rows,
                                                 const queue::JobDefaults& defaults,
                                                 const std::string& more = {});

// A time of the stream, in its seconds. A date counts from the date of time 0, which the stream or --now
// gives. Errors: invalid (a date without it, or before it), naming the option.
[[nodiscard]] Result<std::int64_t> time_of_stream(const PlanOptions& options,
                                                  const plan::Jobs& jobs, const char* option,
                                                  std::int64_t time_s);

// The queues of --queues; else one, with the given discipline and priority rule.
// Errors: as read_queue_config; not_found (an unknown word).
[[nodiscard]] Result<queue::QueueConfig> queues_of_plan(const PlanOptions& options);

// Writes the generated jobs as a trace to the file of --write-jobs, if it is given. Errors: io.
[[nodiscard]] Result<void> write_plan_jobs(const PlanOptions& options, const plan::Jobs& jobs,
                                           std::uint32_t nodes);

// To standard error: a stream without jobs, nodes with too few cores for its processors, queues whose
// order only their names decide.
void warn_of_plan_input(const PlanOptions& options, const plan::Jobs& jobs, const NodeRows& rows,
                        const queue::QueueConfig& queues, const ResourceGraph& graph);

// To standard error, if the end of the clock ended jobs. `discipline`: the one of several; "".
void warn_of_clock_end(const PlanOptions& options, const plan::Summary& summary,
                       const Engine& engine, const std::string& discipline = {});

// To standard error, if lines of the stream were skipped.
void write_skipped(const plan::Jobs& jobs);

}  // namespace copse
