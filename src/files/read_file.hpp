// SPDX-License-Identifier: Apache-2.0
//
// Whole files and standard input, for tools. A read that fails is an error with the reason
// of the operating system, never the end of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

#include "copse/error.hpp"

namespace copse {

// The largest size of a file without a limit of its own.
inline constexpr std::size_t kFileBytesMax = std::size_t{1} << 32;

// Why a file was not read.
struct ReadFailure {
  bool opened = false;
  std::string reason;  // "Permission denied"
};
using ReadText = std::expected<std::string, ReadFailure>;

// Kinds of files that are read: devices may never end. A pipe without a writer is an error.
enum class FileKinds : std::uint8_t { regular_or_pipe, all };

// At most `bytes_most` bytes, with padding after them that readers of JSON may read.
[[nodiscard]] ReadText read_descriptor(int descriptor, std::size_t bytes_most);
[[nodiscard]] ReadText try_read_file(const std::string& path, std::size_t bytes_most,
                                     FileKinds kinds = FileKinds::regular_or_pipe);

// All of a regular file or of a pipe, as <(...) of a shell is one; what gzip compressed is
// uncompressed, and a byte order mark of UTF-8 is left out. Errors: io ("can't read FILE:
// Permission denied"), limit, invalid (UTF-16).
[[nodiscard]] Result<std::string> read_file(const std::string& path);
// The same; "-" is standard input.
[[nodiscard]] Result<std::string> read_input(const std::string& path,
                                             std::size_t bytes_max = kFileBytesMax);
// How messages call an input.
[[nodiscard]] std::string input_name(const std::string& path);

// What the operating system says of an errno.
[[nodiscard]] std::string reason_of(int error);

}  // namespace copse
