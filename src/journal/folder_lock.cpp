// SPDX-License-Identifier: Apache-2.0
#include "journal/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace copse::journal {

namespace {

// The process id that the lock's holder wrote.
std::string holder_of(int file) {
  std::array<char, 32> text{};
  const auto size = ::pread(file, text.data(), text.size() - 1, 0);
  return size > 0 ? fmt::format("process {}", std::string_view(text.data())) : "another process";
}

}  // namespace

Result<FolderLock> FolderLock::take(const std::string& folder) {
  const std::string path = folder + "/lock";
  Descriptor opened(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  const int file = opened.number();
  if (file < 0) {
    return fail(ErrorCode::io, fmt::format("can't open {}: {}", path, std::strerror(errno)));
  }
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    return fail(ErrorCode::exists,
                fmt::format("{} is in use by {}; stop it first", folder, holder_of(file)));
  }
  const std::string number = std::to_string(::getpid());
  if (::ftruncate(file, 0) != 0 ||
      ::pwrite(file, number.data(), number.size(), 0) != static_cast<ssize_t>(number.size())) {
    return fail(ErrorCode::io, fmt::format("can't write {}: {}", path, std::strerror(errno)));
  }
  return FolderLock(std::move(opened));
}

}  // namespace copse::journal
