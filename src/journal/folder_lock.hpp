// SPDX-License-Identifier: Apache-2.0
//
// FolderLock: one process at a time uses a folder of state. The lock goes with the process, however
// it ends.
#pragma once

#include <string>

#include "copse/error.hpp"

namespace copse::journal {

class FolderLock {
 public:
  // Errors: exists (another process has it, with its number); io.
  [[nodiscard]] static Result<FolderLock> take(const std::string& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int file) : file_(file) {}

  int file_;
};

}  // namespace copse::journal
