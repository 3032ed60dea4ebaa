// SPDX-License-Identifier: Apache-2.0
//
// What tools write. Output that cannot be written is an error, never lost without a word.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse {

// Text in pieces to a file or to standard output.
//
// A file is made or changed only by the first piece, or by close(): a command opens all that it
// will write before it begins, and leaves nothing behind when it fails. A file that open() made goes
// if its pieces cannot all be written, unless write_now() has written one: that piece counts.
//
// Invariant: after a piece that could not be written, nothing more is.
class Output {
 public:
  Output() = default;
  ~Output();  // without close(): a file that open() made goes, as above
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // "" or "-": standard output. Errors: io, also for a pipe that nobody reads.
  [[nodiscard]] Result<void> open(const std::string& path);
  // False if this piece, or one before it, could not be written.
  bool write(std::string_view text);
  // The same, and no piece is left in a buffer.
  bool write_now(std::string_view text);
  // Writes what is left. Errors: io, for any piece.
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
  bool made_ = false;   // by open()
  bool begun_ = false;  // the file has nothing from before
  bool kept_ = false;   // what is in it stays, whatever follows
  int error_ = 0;       // why it is not good
};

// The whole text to a file, or to standard output if `path` is empty or "-". Errors: io.
[[nodiscard]] Result<void> write_out(const std::string& path, std::string_view text);

// A file that is whole or as it was, whatever happens: writes the bytes beside it, under a name that nobody else has, and puts them in its place.
// The file keeps its mode; a link is followed; a device or a pipe is written to. Errors: io, then
// everything is as it was.
[[nodiscard]] Result<void> save_file(const std::string& path, std::string_view bytes);

// Writes what is left in the buffers of standard output. Errors: io, for all that it was given.
[[nodiscard]] Result<void> flush_standard_output();

// Lets a write beyond the limit of `ulimit -f` fail like any other, where the signal SIGXFSZ would end
// the program. For main().
void report_file_size_limit();

// To standard error, as a terminal can show it (text/printable.hpp). A message that cannot be
// written has nowhere else to go.
void write_error(std::string_view text);

}  // namespace copse
