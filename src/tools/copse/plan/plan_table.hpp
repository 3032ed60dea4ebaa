// SPDX-License-Identifier: Apache-2.0
//
// A plan as a table for people: a line for each job that starts, in the order of starts.
#pragma once

#include <string>

#include "plan/record.hpp"

namespace copse {

// The id of a job on one line.
[[nodiscard]] std::string shown_name(const plan::Job& job);

// REQUIRES a record that keeps places. O(jobs + places).
void append_plan_table(std::string& out, const plan::Record& record);

}  // namespace copse
