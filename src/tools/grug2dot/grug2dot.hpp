// SPDX-License-Identifier: Apache-2.0
//
// The tool grug2dot: converts a GRUG recipe to a Graphviz graph, as Fluxion's tool of that name.
#pragma once

#include "tools/options/option_table.hpp"

namespace copse {

// The program, for its man page and its completion.
[[nodiscard]] OptionTable grug2dot_table();

// Runs the tool on its command line. Writes <stem of FILE>.dot to the current directory, and messages
// to stderr. Returns the exit status: 0 success or help, 1 bad usage, 255 a file cannot be read (or is
// not a recipe) or written. One thread only: getopt_long has global state.
int grug2dot(int argc, char* const* argv);

}  // namespace copse
