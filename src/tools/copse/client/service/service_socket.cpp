// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/service/service_socket.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "files/read_file.hpp"

namespace copse {

namespace {

using TlsStep = server::TlsSocket::Step;

constexpr int kConnectSeconds = 30;  // also for each piece that is sent

Error not_connected(const ServiceAddress& address, int why) {
  if (why == ENOENT || why == ECONNREFUSED || why == ENOTSOCK) {
    const std::string start =
        address.path.empty() ? fmt::format("copse serve -L MACHINE --listen {}:{}{}", address.host,
                                           address.port, address.secret ? " --tls-cert FILE" : "")
                             : "copse serve -L MACHINE";
    return {ErrorCode::not_found,
            fmt::format(
                "no service listens at {}: start one with {}, or name it (COPSE_SERVER, --server)",
                address.name, start),
            {}};
  }
  const char* const help = why == EACCES ? " (copse serve --everybody admits other users)" : "";
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
  const int yes = 1;  // a dead computer is noticed in the end
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
                fmt::format("unknown host {}: {}", address.host, ::gai_strerror(failed)));
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
    ServiceSocket out(*socket);
    if (!address.secret) return out;
    auto tls = address.tls->connect(*socket, address.host, address.name, kConnectSeconds * 1000);
    if (!tls) return std::unexpected(tls.error());
    out.tls_ = std::move(*tls);
    return out;
  }
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  address.path.copy(local.sun_path, sizeof(local.sun_path) - 1);
  const int socket = connected(AF_UNIX, reinterpret_cast<const sockaddr*>(&local), sizeof(local));
  if (socket < 0) return std::unexpected(not_connected(address, errno));
  return ServiceSocket(socket);
}

ServiceSocket& ServiceSocket::operator=(ServiceSocket&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(wait_ms_, other.wait_ms_);
  std::swap(tls_, other.tls_);
  return *this;
}
ServiceSocket::~ServiceSocket() {
  if (tls_ != nullptr) tls_->send_close_notify();
}

bool ServiceSocket::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    std::size_t sent = 0;
    if (tls_ != nullptr) {
      const TlsStep step = tls_->write(bytes);
      if (step.waits()) {
        if (!server::wait_for(descriptor(), step.state, kConnectSeconds * 1000)) return false;
        continue;
      }
      if (step.state != TlsStep::State::done) return false;
      sent = step.bytes;
    } else {
      const ssize_t plain = ::send(descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (plain < 0 && errno == EINTR) continue;
      if (plain <= 0) return false;
      sent = static_cast<std::size_t>(plain);
    }
    bytes.remove_prefix(sent);
  }
  return true;
}

ServiceSocket::Received ServiceSocket::receive(char* bytes, std::size_t most) const {
  using State = Received::State;
  const int time_ms = wait_ms_ == 0 ? -1 : wait_ms_;
  const bool there = tls_ != nullptr && tls_->has_pending();
  if (!there && !server::wait_for(descriptor(), TlsStep::State::wants_read, time_ms)) {
    return {.state = State::too_late};
  }
  if (tls_ == nullptr) {
    const ssize_t got = ::recv(descriptor(), bytes, most, MSG_DONTWAIT);
    if (got > 0) return {.state = State::some, .bytes = static_cast<std::size_t>(got)};
    if (got == 0) return {.state = State::ended};
    return {.state = errno == EINTR || errno == EAGAIN ? State::nothing : State::lost};
  }
  const TlsStep step = tls_->read(bytes, most);
  switch (step.state) {
    case TlsStep::State::done: return {.state = State::some, .bytes = step.bytes};
    case TlsStep::State::ended: return {.state = State::ended};
    case TlsStep::State::failed:
      return {.state = State::lost, .why = step.is_refused ? step.why : std::string()};
    default: return {.state = State::nothing};  // a part of a record, or data of TLS itself
  }
}

}  // namespace copse
