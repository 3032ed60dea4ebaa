// SPDX-License-Identifier: Apache-2.0
//
// The commands of resource-query. Each checks the number of its words.
#pragma once

#include <cstdint>

#include "tools/resource_query/rq_context.hpp"

namespace copse::query {

// rq_match.cpp: about jobspecs.
void match(Context& context, Words words);
void multi_match(Context& context, Words words);
void explain(Context& context, Words words);  // the reference has no such command
// rq_change.cpp: about jobs and the machine.
void update(Context& context, Words words);
void cancel(Context& context, Words words);
void partial_cancel(Context& context, Words words);
void attach(Context& context, Words words);
void remove(Context& context, Words words);
// rq_pools.cpp: about pools.
void find(Context& context, Words words);
void set_property(Context& context, Words words);
void get_property(Context& context, Words words);
void set_status(Context& context, Words words);
void get_status(Context& context, Words words);

struct MatchTiming {
  double elapsed_s = 0;
  std::uint64_t visits = 0;
};
// Writes the lines below the resources of a job; `what` is MATCHED, ALLOCATED or RESERVED.
void report_grant(Context& context, JobId job, const char* what, std::int64_t start,
                  const MatchTiming& timing);
// Writes the lines after a match that failed.
void report_failure(Context& context, Operation operation, JobId job, ErrorCode code,
                    const MatchTiming& timing);

}  // namespace copse::query
