// SPDX-License-Identifier: Apache-2.0
//
// FolderLock: one process at a time uses a state folder. The kernel releases the lock when the
// process ends, however it ends.
#pragma once

#include <string>

#include "copse/error.hpp"

namespace copse::journal {

class FolderLock {
 public:
  // Errors: exists (another process holds it; the message has its id); io.
  [[nodiscard]] static Result<FolderLock> take(const std::string& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int file) : file_(file) {}

  int file_;
};

}  // namespace copse::journal
