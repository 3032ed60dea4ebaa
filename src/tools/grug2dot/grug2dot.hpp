// SPDX-License-Identifier: Apache-2.0
//
// The tool grug2dot: draws a GRUG recipe for Graphviz. Replaces Fluxion's tool of that name.
#pragma once

#include <getopt.h>

#include <span>

#include "tools/options/option_table.hpp"

namespace copse {

// The long options, for tests of all of them.
[[nodiscard]] std::span<const option> grug2dot_option_table();

// The program, for its man page and its completion.
[[nodiscard]] OptionTable grug2dot_table();

// Runs the tool on its command line. Writes <stem of FILE>.dot into the current directory, all else
// to stderr. Returns the exit code: 0 done or help shown, 1 bad usage, 255 a file cannot be read
// (or holds no recipe) or written. Not for more than one thread: getopt_long keeps its state in
// globals.
int grug2dot(int argc, char* const* argv);

}  // namespace copse
