// SPDX-License-Identifier: Apache-2.0
#include "journal/disk_space.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace copse::journal {

Result<std::uint64_t> DiskSpace::free_bytes(const std::string& folder) {
  struct statvfs disk{};
  if (::statvfs(folder.c_str(), &disk) != 0) {
    return fail(ErrorCode::io,
                fmt::format("can't measure at the space of {}: {}", folder, std::strerror(errno)));
  }
  return std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

DiskSpace::DiskSpace(std::string folder, Limits limits, MeasureFreeBytes measure)
    : folder_(std::move(folder)), limits_(limits), measure_(std::move(measure)) {
  struct stat file{};
  has_reserve_ = ::stat(path().c_str(), &file) == 0 &&
                 static_cast<std::uint64_t>(file.st_size) >= limits_.reserve;
}

Result<void> DiskSpace::update() {
  const auto free = measure_(folder_);
  if (!free) return std::unexpected(free.error());
  has_space_ = *free >= limits_.changes_min;
  if (has_reserve_ && *free < limits_.release_below) {
    ::unlink(path().c_str());
    has_reserve_ = false;
  } else if (!has_reserve_ && *free >= limits_.changes_min + limits_.reserve) {
    make_reserve();
  }
  return {};
}

// The host works without a reserve; a file that cannot be created is tried again later.
void DiskSpace::make_reserve() {
  const int file = ::open(path().c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return;
  has_reserve_ = ::posix_fallocate(file, 0, static_cast<off_t>(limits_.reserve)) == 0;
  ::close(file);
  if (!has_reserve_) ::unlink(path().c_str());
}

}  // namespace copse::journal
