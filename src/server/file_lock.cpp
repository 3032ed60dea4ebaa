// SPDX-License-Identifier: Apache-2.0
#include "server/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "files/read_file.hpp"

namespace copse::server {

namespace {

constexpr int kTriesMax = 1'000;
constexpr auto kTryAgain = std::chrono::milliseconds(10);

}  // namespace

Result<FileLock> FileLock::take(const std::string& path) {
  return open(path, O_CREAT | O_RDWR | O_NOFOLLOW);
}

Result<FileLock> FileLock::open(const std::string& path, int flags) {
  Descriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0600));
  if (file.number() >= 0 && ::flock(file.number(), LOCK_EX | LOCK_NB) == 0) {
    return FileLock(std::move(file));
  }
  const int why = errno;
  if (why == EWOULDBLOCK) {
    return fail(ErrorCode::exists, fmt::format("{} is locked by another process", path));
  }
  return fail(ErrorCode::io, fmt::format("can't lock {}: {}", path, reason_of(why)));
}

Result<FileLock> FileLock::wait_for_folder(const std::string& path) {
  for (int tries = 1;; ++tries) {
    auto lock = open(path, O_RDONLY | O_DIRECTORY);
    if (lock || lock.error().code != ErrorCode::exists || tries == kTriesMax) return lock;
    std::this_thread::sleep_for(kTryAgain);
  }
}

}  // namespace copse::server
