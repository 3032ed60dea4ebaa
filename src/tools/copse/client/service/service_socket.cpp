// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/service/service_socket.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "files/read_file.hpp"

namespace copse {

namespace {

constexpr int kConnectSeconds = 30;  // also for each piece that is sent

Error not_connected(const ServiceAddress& address, int why) {
  if (why == ENOENT || why == ECONNREFUSED || why == ENOTSOCK) {
    const std::string start =
        address.path.empty()
            ? fmt::format("copse serve -L MACHINE --listen {}:{}", address.host, address.port)
            : "copse serve -L MACHINE";
    return {ErrorCode::not_found,
            fmt::format("no service listens at {}: start one with {}, or say where it is "
                        "(COPSE_SERVER, --server)",
                        address.name, start),
            {}};
  }
  const char* const help = why == EACCES ? " (copse serve --everybody lets others in)" : "";
  return {ErrorCode::io,
          fmt::format("can't connect to {}: {}{}", address.name, reason_of(why), help),
          {}};
}

void bound_time(int socket, int option, int seconds) {
  const timeval time{.tv_sec = seconds, .tv_usec = 0};
  (void)::setsockopt(socket, SOL_SOCKET, option, &time, sizeof(time));
}

// The socket, or -1 with errno.
int connected(int family, const sockaddr* address, socklen_t size) {
  const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  bound_time(socket, SO_SNDTIMEO, kConnectSeconds);
  const int yes = 1;  // a computer that is gone is noticed in the end
  (void)::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
  if (::connect(socket, address, size) == 0) return socket;
  const int why = errno == EINPROGRESS ? ETIMEDOUT : errno;
  ::close(socket);
  errno = why;
  return -1;
}

Result<int> connect_tcp(const ServiceAddress& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  if (failed != 0) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no host {}: {}", address.host, ::gai_strerror(failed)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, ::freeaddrinfo);
  int why = ECONNREFUSED;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const int socket = connected(one->ai_family, one->ai_addr, one->ai_addrlen);
    if (socket >= 0) return socket;
    why = errno;
  }
  return std::unexpected(not_connected(address, why));
}

}  // namespace

Result<ServiceSocket> ServiceSocket::connect(const ServiceAddress& address) {
  if (address.path.empty()) {
    const auto socket = connect_tcp(address);
    if (!socket) return std::unexpected(socket.error());
    return ServiceSocket(*socket);
  }
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  address.path.copy(local.sun_path, sizeof(local.sun_path) - 1);
  const int socket = connected(AF_UNIX, reinterpret_cast<const sockaddr*>(&local), sizeof(local));
  if (socket < 0) return std::unexpected(not_connected(address, errno));
  return ServiceSocket(socket);
}

ServiceSocket::ServiceSocket(ServiceSocket&& other) noexcept
    : number_(std::exchange(other.number_, -1)) {}
ServiceSocket& ServiceSocket::operator=(ServiceSocket&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}
ServiceSocket::~ServiceSocket() {
  if (number_ >= 0) ::close(number_);
}

bool ServiceSocket::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(number_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

long ServiceSocket::receive(char* bytes, std::size_t most) const {
  for (;;) {
    const ssize_t got = ::recv(number_, bytes, most, 0);
    if (got >= 0 || errno != EINTR) return got;
  }
}

void ServiceSocket::wait_at_most(int seconds) const { bound_time(number_, SO_RCVTIMEO, seconds); }

}  // namespace copse
