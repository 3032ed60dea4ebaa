// SPDX-License-Identifier: Apache-2.0
//
// Validates jobspecs without a machine: every resource type is accepted, other checks are those of a
// match.
//
// validate_jobspecs() is for any front end; jobspec_validate() is the tool flux-jobspec-validate, which
// replaces Fluxion's tool of that name.
#pragma once

#include <cstdio>
#include <span>
#include <string>

#include "tools/options/option_table.hpp"

namespace copse {

// The result; after several errors, the highest of theirs.
enum class JobspecVerdict : int {
  good = 0,
  refused = 1,     // a document is not a jobspec
  unreadable = 2,  // a file cannot be read, or the result cannot be written
  not_yaml = 3,    // a text is not valid YAML, not UTF-8, or too long
};

struct JobspecValidateOptions {
  bool quiet = false;          // do not write accepted jobspecs
  std::FILE* input = stdin;    // read for "-"
  std::FILE* output = stdout;  // accepted jobspecs, as YAML
  std::FILE* errors = stderr;  // a line for each error, "file:line:column: sentence"
  bool copse_style = false;    // errors in the style of copse: each line begins with "copse: "
};

// Reads each file as a stream of YAML documents (or as one JSON text). Writes every document that is a
// jobspec, and an error for every other document. Continues after errors. Without files, reads "-".
// Memory: one text of at most 16 MiB, and its tree.
[[nodiscard]] JobspecVerdict validate_jobspecs(std::span<const std::string> files,
                                               const JobspecValidateOptions& options);

// The program, for its man page and its completion.
[[nodiscard]] OptionTable jobspec_validate_table();

// Runs the tool on its command line and the standard streams. Returns the exit status: that of
// JobspecVerdict; 0 after --help and --version, 2 for bad usage. One thread only: getopt_long has
// global state.
int jobspec_validate(int argc, char* const* argv);

}  // namespace copse
