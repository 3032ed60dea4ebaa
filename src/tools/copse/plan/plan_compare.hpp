// SPDX-License-Identifier: Apache-2.0
//
// copse plan --compare: one stream under several disciplines.
#pragma once

#include "plan/summary_text.hpp"
#include "tools/copse/plan/plan_options.hpp"

namespace copse {

// Writes a line of figures for each discipline, or a table. The exit status.
[[nodiscard]] int run_comparison(const PlanOptions& options, const plan::Provenance& made_with);

}  // namespace copse
