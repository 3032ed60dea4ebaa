// SPDX-License-Identifier: Apache-2.0
//
// copse plan --why: why each job that waits at a time waits, and when it would start.
#pragma once

#include "tools/copse/plan/plan_options.hpp"

namespace copse {

// Runs the stream up to that time, and writes an answer for each job that waits then. The exit
// status: 1 if nobody does.
[[nodiscard]] int run_why(const PlanOptions& options);

}  // namespace copse
