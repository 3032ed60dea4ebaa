// SPDX-License-Identifier: Apache-2.0
//
// The stream of a plan: read from its file, in any format, or generated.
#pragma once

#include "plan/job.hpp"
#include "plan/node_rows.hpp"
#include "plan/record.hpp"
#include "queue/config/queue_config.hpp"
#include "tools/copse/plan/plan_options.hpp"

namespace copse {

// Errors: with file and line where they have one. Says on standard error what is of no use.
// `more`: a file whose lines stand behind those of the stream; "": none.
[[nodiscard]] Result<plan::Jobs> read_plan_input(const PlanOptions& options, const Engine& engine,
                                                 const plan::NodeRows& rows,
                                                 const std::string& more = {});

// A time of the stream, in its seconds: a date counts from what the stream or --now says of time 0.
// Errors: invalid (a date, and nobody says it; or one before it), naming the option.
[[nodiscard]] Result<std::int64_t> time_of_stream(const PlanOptions& options,
                                                  const plan::Jobs& jobs, const char* option,
                                                  std::int64_t time_s);

// Its queues: those of --queues; else one, with the discipline and the priorities that are named.
// Errors: as read_queue_config; not_found (a word that is not known).
[[nodiscard]] Result<queue::QueueConfig> queues_of_plan(const PlanOptions& options);

// The generated jobs as a trace, if a file is named for it. Errors: io.
[[nodiscard]] Result<void> write_plan_jobs(const PlanOptions& options, const plan::Jobs& jobs,
                                           std::uint32_t nodes);

// To standard error: a stream without jobs, nodes with too few cores for its processors.
void warn_of_plan_input(const PlanOptions& options, const plan::Jobs& jobs,
                        const plan::NodeRows& rows);

// To standard error, if the end of the clock ended jobs. `discipline`: which one of several; "".
void warn_of_clock_end(const PlanOptions& options, const plan::Summary& summary,
                       const Engine& engine, const std::string& discipline = {});

// To standard error, if anything of the stream is no job to run.
void write_skipped(const plan::Jobs& jobs);

}  // namespace copse
