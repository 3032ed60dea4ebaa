// SPDX-License-Identifier: Apache-2.0
//
// FileLock: an exclusive lock on a file or folder, held by one process at a time. Releasing it
// leaves the file in place: if it were removed, two other processes could each hold a lock of that
// name.
#pragma once

#include <string>
#include <utility>

#include "copse/error.hpp"
#include "files/descriptor.hpp"

namespace copse::server {

class FileLock {
 public:
  // Creates the file if missing. Errors: io; exists (another process holds it).
  [[nodiscard]] static Result<FileLock> take(const std::string& path);
  // Locks a folder, which must exist. Waits at most ten seconds. Errors: as take().
  [[nodiscard]] static Result<FileLock> wait_for_folder(const std::string& path);

 private:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {}
  [[nodiscard]] static Result<FileLock> open(const std::string& path, int flags);

  Descriptor file_;
};

}  // namespace copse::server
