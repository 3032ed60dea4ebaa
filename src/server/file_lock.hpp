// SPDX-License-Identifier: Apache-2.0
//
// FileLock: a file that one process at a time may hold. The file stays when the lock is given up: who
// removed it could give two others a lock each.
#pragma once

#include <string>

#include "copse/error.hpp"

namespace copse::server {

class FileLock {
 public:
  // The file is made if it is not there. Errors: io; exists (another one holds it).
  [[nodiscard]] static Result<FileLock> take(const std::string& path);
  // Waits for it, at most ten seconds. Errors: as take().
  [[nodiscard]] static Result<FileLock> wait(const std::string& path);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int file) : file_(file) {}

  int file_;
};

}  // namespace copse::server
