// SPDX-License-Identifier: Apache-2.0
//
// VfsFile: a file next to the database, through the file system that SQLite uses. So tests that
// simulate a disk below SQLite see these files, too.
//
// Never open the database itself this way: closing it would release SQLite's locks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "copse/error.hpp"

struct sqlite3_file;

namespace copse::journal {

class VfsFile {
 public:
  enum class Access : std::uint8_t { read, write };  // write: created if missing

  // Whether the file exists. Errors: io.
  [[nodiscard]] static Result<bool> exists(const std::string& path, const std::string& vfs);
  // `vfs`: as Database::open. Errors: io, with the path.
  [[nodiscard]] static Result<VfsFile> open(const std::string& path, const std::string& vfs,
                                            Access access);

  [[nodiscard]] Result<std::uint64_t> size() const;
  // Up to `bytes` bytes from offset `at`; fewer at the end of the file. Errors: io.
  [[nodiscard]] Result<std::string> read(std::uint64_t at, std::size_t bytes) const;
  [[nodiscard]] Result<void> write(std::uint64_t at, std::string_view bytes);
  [[nodiscard]] Result<void> sync();

 private:
  struct Close {
    void operator()(sqlite3_file* file) const;
  };
  VfsFile(std::unique_ptr<const std::string> path, std::unique_ptr<sqlite3_file, Close> file)
      : path_(std::move(path)), file_(std::move(file)) {}
  [[nodiscard]] std::unexpected<Error> error(const char* what, int code) const;

  std::unique_ptr<const std::string> path_;  // SQLite keeps its address
  std::unique_ptr<sqlite3_file, Close> file_;
};

}  // namespace copse::journal
