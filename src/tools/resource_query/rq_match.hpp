// SPDX-License-Identifier: Apache-2.0
//
// The commands about jobspecs: match, multi-match and explain; and what a match prints.
#pragma once

#include <cstdint>

#include "tools/resource_query/rq_context.hpp"

namespace copse::query {

void match(Context& context, Words words);
void multi_match(Context& context, Words words);
void explain(Context& context, Words words);  // the reference has no such command

struct MatchTiming {
  double elapsed_s = 0;
  std::uint64_t visits = 0;
};

// What a job got, below its resources; `what` is MATCHED, ALLOCATED or RESERVED.
void report_grant(Context& context, JobId job, const char* what, std::int64_t start,
                  const MatchTiming& timing);
// What follows a match that gave nothing.
void report_failure(Context& context, Operation operation, JobId job, ErrorCode code,
                    const MatchTiming& timing);

}  // namespace copse::query
