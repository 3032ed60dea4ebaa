// SPDX-License-Identifier: Apache-2.0
#include "server/listen.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "files/descriptor.hpp"
#include "files/read_file.hpp"

namespace copse::server {

namespace {

std::unexpected<Error> cannot_listen(const std::string& where, int error) {
  return fail(ErrorCode::io, fmt::format("can't listen at {}: {}", where, reason_of(error)));
}

Descriptor new_socket(int family) {
  return Descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

union AnyAddress {
  sockaddr any;
  sockaddr_un local;
  sockaddr_in four;
  sockaddr_in6 six;
};

bool is_loopback(const AnyAddress& address) {
  if (address.any.sa_family == AF_INET) return ntohl(address.four.sin_addr.s_addr) >> 24 == 127;
  return address.any.sa_family != AF_INET6 || IN6_IS_ADDR_LOOPBACK(&address.six.sin6_addr) != 0;
}

// The listener of a socket, with the port that the kernel chose.
Listener describe(int socket) {
  AnyAddress address{};
  socklen_t size = sizeof(address);
  (void)::getsockname(socket, &address.any, &size);
  Listener out{.socket = socket, .family = address.any.sa_family};
  out.loopback = is_loopback(address);
  char text[INET6_ADDRSTRLEN] = {};
  if (out.family == AF_INET) {
    ::inet_ntop(AF_INET, &address.four.sin_addr, text, sizeof(text));
    out.name = fmt::format("{}:{}", text, ntohs(address.four.sin_port));
  } else if (out.family == AF_INET6) {
    ::inet_ntop(AF_INET6, &address.six.sin6_addr, text, sizeof(text));
    out.name = fmt::format("[{}]:{}", text, ntohs(address.six.sin6_port));
  } else if (size > sizeof(sa_family_t)) {
    out.name = address.local.sun_path;
  }
  return out;
}

struct TcpAddress {
  AnyAddress address{};
  socklen_t size = 0;
};

Result<TcpAddress> parse_tcp_address(const std::string& where) {
  const std::size_t colon = where.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : where.substr(0, colon);
  const std::string port_text = colon == std::string::npos ? where : where.substr(colon + 1);
  std::uint16_t port = 0;
  const char* const end = port_text.data() + port_text.size();
  const auto [at, error] = std::from_chars(port_text.data(), end, port);
  if (error != std::errc() || at != end) {
    return fail(ErrorCode::invalid,
                fmt::format("\"{}\" has no port: write 127.0.0.1:7400, [::1]:7400 or 7400", where));
  }
  if (host == "localhost") host = "127.0.0.1";
  TcpAddress out;
  if (host.starts_with('[') && host.ends_with(']')) {
    out.address.six.sin6_family = AF_INET6;
    out.address.six.sin6_port = htons(port);
    out.size = sizeof(sockaddr_in6);
    host = host.substr(1, host.size() - 2);
    if (::inet_pton(AF_INET6, host.c_str(), &out.address.six.sin6_addr) == 1) return out;
  } else {
    out.address.four.sin_family = AF_INET;
    out.address.four.sin_port = htons(port);
    out.size = sizeof(sockaddr_in);
    if (::inet_pton(AF_INET, host.c_str(), &out.address.four.sin_addr) == 1) return out;
  }
  return fail(ErrorCode::invalid,
              fmt::format("\"{}\" is not an address: write 127.0.0.1 or [::1]", host));
}

}  // namespace

Result<Listener> listen_on_unix(const std::string& path, mode_t mode) {
  auto file = SocketFile::take(path);
  if (!file) return std::unexpected(file.error());
  Descriptor made = new_socket(AF_UNIX);
  if (made.number() < 0) return cannot_listen(path, errno);
  if (auto bound = file->bind(made.number(), mode); !bound) return std::unexpected(bound.error());
  if (::listen(made.number(), SOMAXCONN) != 0) return cannot_listen(path, errno);
  Listener out{.socket = made.release(), .family = AF_UNIX, .name = path};
  out.file.emplace(std::move(*file));
  return out;
}

Result<Listener> listen_on_tcp(const std::string& where) {
  const auto parsed = parse_tcp_address(where);
  if (!parsed) return std::unexpected(parsed.error());
  Descriptor made = new_socket(parsed->address.any.sa_family);
  if (made.number() < 0) return cannot_listen(where, errno);
  const int yes = 1;  // reuse a port in TIME_WAIT
  (void)::setsockopt(made.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (::bind(made.number(), &parsed->address.any, parsed->size) != 0 ||
      ::listen(made.number(), SOMAXCONN) != 0) {
    return cannot_listen(where, errno);
  }
  return describe(made.release());
}

Result<void> check_tcp_address(const std::string& where) {
  const auto parsed = parse_tcp_address(where);
  if (!parsed) return std::unexpected(parsed.error());
  return {};
}

Caller peer_caller(int socket, Role other_users, const UserNamespace& users) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
  if (!users.is_named(peer.uid)) return {};
  const bool own = peer.uid == ::geteuid() || peer.uid == 0;
  return {own ? Role::owner : other_users, fmt::format("uid:{}", peer.uid)};
}

std::string peer_address(int socket) {
  AnyAddress address{};
  socklen_t size = sizeof(address);
  if (::getpeername(socket, &address.any, &size) != 0) return {};
  char text[INET6_ADDRSTRLEN]{};
  if (address.any.sa_family == AF_INET6) {
    in6_addr& six = address.six.sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&six) == 0) std::fill(six.s6_addr + 8, six.s6_addr + 16, 0);
    (void)::inet_ntop(AF_INET6, &six, text, sizeof(text));
  } else if (address.any.sa_family == AF_INET) {
    (void)::inet_ntop(AF_INET, &address.four.sin_addr, text, sizeof(text));
  }
  return text;
}

Result<Listener> listener_of(int socket) {
  int listens = 0, kind = 0;
  socklen_t size = sizeof(listens), kind_size = sizeof(kind);
  if (::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0 ||
      ::getsockopt(socket, SOL_SOCKET, SO_TYPE, &kind, &kind_size) != 0 || kind != SOCK_STREAM) {
    return fail(
        ErrorCode::invalid,
        fmt::format("the inherited descriptor {} is not a listening stream socket", socket));
  }
  return describe(socket);
}

}  // namespace copse::server
