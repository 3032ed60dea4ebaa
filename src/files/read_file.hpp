// SPDX-License-Identifier: Apache-2.0
//
// Whole files and standard input as texts. A failed read is an error with the operating system's reason,
// never the end of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

#include "copse/error.hpp"

namespace copse {

// The limit of a file that has no limit of its own.
inline constexpr std::size_t kFileBytesMax = std::size_t{1} << 32;

// Why a read failed.
struct ReadFailure {
  bool opened = false;
  std::string reason;  // "Permission denied"
};
using ReadText = std::expected<std::string, ReadFailure>;

// The kinds of files that are read. Devices may never end. A pipe without a writer is an error.
enum class FileKinds : std::uint8_t { regular_or_pipe, all };

// At most `bytes_most` bytes, with kJsonPadding readable bytes behind them.
[[nodiscard]] ReadText read_descriptor(int descriptor, std::size_t bytes_most);
[[nodiscard]] ReadText try_read_file(const std::string& path, std::size_t bytes_most,
                                     FileKinds kinds = FileKinds::regular_or_pipe);

// All of a regular file or of a pipe, such as <(...) of a shell. Uncompresses gzip, and removes a byte
// order mark of UTF-8. Errors: io ("can't read FILE: Permission denied"), limit, invalid (UTF-16).
[[nodiscard]] Result<std::string> read_file(const std::string& path);
// The same; "-" is standard input. `bytes_max` also bounds what is uncompressed, while it is uncompressed.
[[nodiscard]] Result<std::string> read_input(const std::string& path,
                                             std::size_t bytes_max = kFileBytesMax);
// The name of an input in messages.
[[nodiscard]] std::string input_name(const std::string& path);

// The operating system's text for an errno.
[[nodiscard]] std::string reason_of(int error);

}  // namespace copse
