// SPDX-License-Identifier: Apache-2.0
//
// The program resource-query, as a function: a program of your own calls it with policies of its
// own.
#pragma once

#include <span>

#include "copse/policy.hpp"

namespace copse {

// Runs the program on standard input, output and error. `own` are further policies for -P.
// Returns the exit status: 0 after `quit`, the end of input or --help, 1 if it could not start.
int resource_query(int argc, char** argv, std::span<const Policy> own = {});

}  // namespace copse
