// SPDX-License-Identifier: Apache-2.0
//
// copse plan --what-if: whose start moves if more happens.
#pragma once

#include "tools/copse/plan/plan_options.hpp"

namespace copse {

// Runs the stream, and the stream with the lines of another file, and writes the jobs that start
// at another time. The exit status.
[[nodiscard]] int run_what_if(const PlanOptions& options);

}  // namespace copse
