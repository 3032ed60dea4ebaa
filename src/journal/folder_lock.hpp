// SPDX-License-Identifier: Apache-2.0
//
// FolderLock: one process at a time uses a state folder. The kernel releases the lock when the
// process ends, however it ends.
#pragma once

#include <string>
#include <utility>

#include "copse/error.hpp"
#include "files/descriptor.hpp"

namespace copse::journal {

class FolderLock {
 public:
  // Errors: exists (another process holds it; the message has its id); io.
  [[nodiscard]] static Result<FolderLock> take(const std::string& folder);

 private:
  explicit FolderLock(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

}  // namespace copse::journal
