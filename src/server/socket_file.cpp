// SPDX-License-Identifier: Apache-2.0
#include "server/socket_file.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "files/read_file.hpp"

namespace copse::server {

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un out{};
  out.sun_family = AF_UNIX;
  path.copy(out.sun_path, sizeof(out.sun_path) - 1);
  return out;
}

std::unexpected<Error> no_socket_file(const std::string& path, int error) {
  return fail(ErrorCode::io, fmt::format("can't listen at {}: {}", path, reason_of(error)));
}

// Whether a process accepts connections there.
bool is_listened_at(const std::string& path) {
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const sockaddr_un address = address_of(path);
  const int connected =
      ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  const bool out = connected == 0 || errno == EAGAIN;
  ::close(probe);
  return out;
}

}  // namespace

Result<SocketFile> SocketFile::take(const std::string& path) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return fail(ErrorCode::limit,
                fmt::format("the path of the socket {} has {} bytes; the limit is {}", path,
                            path.size(), sizeof(sockaddr_un::sun_path) - 1));
  }
  // A process of this program that listens there also holds the lock; another program does not.
  if (is_listened_at(path)) {
    return fail(ErrorCode::exists, fmt::format("another program already listens at {}", path));
  }
  auto lock = FileLock::take(path + ".lock");
  if (!lock && lock.error().code == ErrorCode::exists) {
    return fail(ErrorCode::exists, fmt::format("another service uses {}", path));
  }
  if (!lock) return std::unexpected(lock.error());
  struct stat facts{};
  if (::lstat(path.c_str(), &facts) == 0) {
    if (!S_ISSOCK(facts.st_mode)) {
      return fail(ErrorCode::exists,
                  fmt::format("{} exists, and is not a socket: choose another path", path));
    }
    if (is_listened_at(path)) {  // since the check above
      return fail(ErrorCode::exists, fmt::format("another program already listens at {}", path));
    }
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return no_socket_file(path, errno);
  }
  return SocketFile(path, std::move(*lock));
}

Result<void> SocketFile::bind(int socket, mode_t mode) {
  const sockaddr_un address = address_of(path_);
  const mode_t before = ::umask(0777 & ~mode);
  const bool bound =
      ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  const int why = errno;
  ::umask(before);
  if (!bound) return no_socket_file(path_, why);
  struct stat facts{};
  if (::lstat(path_.c_str(), &facts) != 0) return no_socket_file(path_, errno);
  device_ = facts.st_dev;
  number_ = facts.st_ino;
  bound_ = true;
  return {};
}

SocketFile::SocketFile(SocketFile&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::move(other.lock_)),
      device_(other.device_),
      number_(other.number_),
      bound_(std::exchange(other.bound_, false)) {}

SocketFile::~SocketFile() {
  struct stat facts{};
  if (!bound_ || ::lstat(path_.c_str(), &facts) != 0) return;
  if (facts.st_dev == device_ && facts.st_ino == number_) ::unlink(path_.c_str());
}

}  // namespace copse::server
