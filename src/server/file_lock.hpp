// SPDX-License-Identifier: Apache-2.0
//
// FileLock: a file, or a folder, that one process at a time may hold. The file stays when the lock is given up: who
// removed it could give two others a lock each.
#pragma once

#include <string>

#include "copse/error.hpp"

namespace copse::server {

class FileLock {
 public:
  // The file is made if it is not there. Errors: io; exists (another one holds it).
  [[nodiscard]] static Result<FileLock> take(const std::string& path);
  // The same for a folder, which must be there. Waits, at most ten seconds. Errors: as take().
  [[nodiscard]] static Result<FileLock> wait_for_folder(const std::string& path);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int file) : file_(file) {}
  [[nodiscard]] static Result<FileLock> open(const std::string& path, int flags);

  int file_;
};

}  // namespace copse::server
