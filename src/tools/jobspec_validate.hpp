// SPDX-License-Identifier: Apache-2.0
//
// Checks jobspecs without a machine: every resource type is accepted, all else is as for a match.
//
// The tool flux-jobspec-validate, which stands in for Fluxion's of that name, and what any other
// front end needs: validate_jobspecs() does the work, jobspec_validate() reads a command line.
#pragma once

#include <getopt.h>

#include <cstdio>
#include <span>
#include <string>

#include "tools/options/option_table.hpp"

namespace copse {

// What was wrong; if several things were, the highest.
enum class JobspecVerdict : int {
  good = 0,
  refused = 1,     // a document is no jobspec
  unreadable = 2,  // a file cannot be read, or the result cannot be written
  not_yaml = 3,    // a text is no YAML from some place on, not UTF-8, or too long
};

struct JobspecValidateOptions {
  bool quiet = false;          // do not write accepted jobspecs
  std::FILE* input = stdin;    // what "-" reads
  std::FILE* output = stdout;  // accepted jobspecs, as YAML
  std::FILE* errors = stderr;  // a line for each error, "file:line:column: sentence"
  bool own_words = false;      // in the words of copse, each line begun with "copse: "
};

// Reads each file as a stream of YAML documents (or as one JSON text), writes every document that
// is a jobspec and says what is wrong with every other one. Goes on after errors. No file is "-".
// Memory: one text of at most 16 MiB and a tree of it.
[[nodiscard]] JobspecVerdict validate_jobspecs(std::span<const std::string> files,
                                               const JobspecValidateOptions& options);

// The long options of the tool, for tests of all of them.
[[nodiscard]] std::span<const option> jobspec_validate_option_table();

// The program, for its man page and its completion.
[[nodiscard]] OptionTable jobspec_validate_table();

// Runs the tool on its command line, on the standard streams. Returns the exit status: that of
// JobspecVerdict; 0 after --help and --version, 2 for bad usage. Not for more than one thread:
// getopt_long keeps its state in globals.
int jobspec_validate(int argc, char* const* argv);

}  // namespace copse
