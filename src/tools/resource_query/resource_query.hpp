// SPDX-License-Identifier: Apache-2.0
//
// The program resource-query as a function, for programs with their own policies.
#pragma once

#include <span>

#include "copse/policy.hpp"

namespace copse {

// Runs the program on standard input, output and error. `own` are additional policies for -P.
// Returns the exit status: 0 after `quit`, the end of input or --help; 1 if it cannot start.
int resource_query(int argc, char** argv, std::span<const Policy> own = {});

}  // namespace copse
