// SPDX-License-Identifier: Apache-2.0
#include "server/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace copse::server {

namespace {

constexpr int kTriesMax = 1'000;
constexpr auto kTryAgain = std::chrono::milliseconds(10);

}  // namespace

Result<FileLock> FileLock::take(const std::string& path) {
  return open(path, O_CREAT | O_RDWR | O_NOFOLLOW);
}

Result<FileLock> FileLock::open(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  const int failed = file < 0 ? errno : 0;
  FileLock lock(file);
  if (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0) return lock;
  const int why = file < 0 ? failed : errno;
  if (why == EWOULDBLOCK) {
    return fail(ErrorCode::exists, fmt::format("{} is locked by another process", path));
  }
  return fail(ErrorCode::io, fmt::format("can't lock {}: {}", path,
                                         std::error_code(why, std::generic_category()).message()));
}

Result<FileLock> FileLock::wait_for_folder(const std::string& path) {
  for (int tries = 1;; ++tries) {
    auto lock = open(path, O_RDONLY | O_DIRECTORY);
    if (lock || lock.error().code != ErrorCode::exists || tries == kTriesMax) return lock;
    std::this_thread::sleep_for(kTryAgain);
  }
}

FileLock::FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace copse::server
