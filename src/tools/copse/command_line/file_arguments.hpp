// SPDX-License-Identifier: Apache-2.0
//
// The files that a command line names: which are read, which are written.
//
// A command may open its outputs before it has read its inputs, so that a line on which they are one
// file is refused before it does anything.
#pragma once

#include <span>
#include <string>

namespace copse {

struct FileArgument {
  std::string name;  // as --help shows it: "--output", "jobs"
  std::string path;  // "-": standard input or output
  bool is_written = false;
  std::string may_replace = {};  // the argument that may name the same file as this output
};

// Why the files cannot be used together: an output is a file that is read, two outputs are one file,
// or two inputs are standard input. "": they can. Devices and pipes may be named twice.
[[nodiscard]] std::string why_not_together(std::span<const FileArgument> files);

}  // namespace copse
