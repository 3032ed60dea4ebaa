// SPDX-License-Identifier: Apache-2.0
//
// Output to files and to standard output. A failed write is always an error with its reason.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse {

// Text in pieces to a file or to standard output.
//
// open() creates a missing file, but changes an existing one only with the first piece or close(). So a
// command opens all its outputs before it begins, and leaves nothing behind if it fails. A file that
// open() created is removed if a piece cannot be written, unless write_now() has written one before.
//
// Invariant: after a failed piece, no further piece is written.
class Output {
 public:
  Output() = default;
  ~Output();  // without close(): removes a file that open() created, as above
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // "" or "-": standard output. Errors: io, also for a pipe without a reader.
  [[nodiscard]] Result<void> open(const std::string& path);
  // False if this piece or an earlier one could not be written.
  bool write(std::string_view text);
  // The same; flushes the buffer.
  bool write_now(std::string_view text);
  // Flushes the buffer and closes. Errors: io, for any piece.
  [[nodiscard]] Result<void> close();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  void fail_now();
  void drop_made() const;
  void begin_file();
  [[nodiscard]] std::FILE* stream() { return file_ ? file_.get() : stdout; }

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  bool good_ = true;
  bool made_ = false;   // open() created the file
  bool begun_ = false;  // the old contents of the file are removed
  bool kept_ = false;   // the file stays, whatever follows
  int error_ = 0;       // the errno of the failed piece
};

// The whole text to a file, or to standard output if `path` is empty or "-". Errors: io.
[[nodiscard]] Result<void> write_out(const std::string& path, std::string_view text);

// Replaces a file atomically: writes the bytes to a temporary file in the same folder, and renames it.
// The file keeps its mode; a link is followed; a device or a pipe is written directly. Errors: io;
// then nothing has changed.
[[nodiscard]] Result<void> save_file(const std::string& path, std::string_view bytes);

// Flushes standard output. Errors: io, for everything written to it.
[[nodiscard]] Result<void> flush_standard_output();

// Ignores SIGXFSZ, so that a write beyond the limit of `ulimit -f` fails with an error and does not end
// the program. For main().
void report_file_size_limit();

// Writes to standard error, as a terminal can show it (text/printable.hpp). Failures are ignored.
void write_error(std::string_view text);

}  // namespace copse
