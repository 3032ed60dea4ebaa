// SPDX-License-Identifier: Apache-2.0
//
// Listening sockets: opened at a path or an address, or inherited from the parent process (socket
// activation).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "copse/error.hpp"
#include "server/rights/rights.hpp"
#include "server/rights/user_namespace.hpp"
#include "server/socket_file.hpp"

namespace copse::server {

struct Listener {
  int socket = -1;     // closed by its owner
  int family = 0;      // AF_UNIX, AF_INET, AF_INET6
  std::string name{};  // shown to people: a path, or "127.0.0.1:7400" with the actual port
  std::optional<SocketFile> file{};  // of a Unix socket opened here
  bool loopback = true;
};

// Opens a Unix socket with that mode. A socket file on which no process listens is replaced.
// Errors: as SocketFile::take; io.
[[nodiscard]] Result<Listener> listen_on_unix(const std::string& path, mode_t mode);
// "7400", "127.0.0.1:7400", "[::1]:7400": a numeric address, by default loopback. Port 0: any free
// port. Errors: invalid; io.
[[nodiscard]] Result<Listener> listen_on_tcp(const std::string& where);
// Checks the syntax of such an address. Errors: invalid.
[[nodiscard]] Result<void> check_tcp_address(const std::string& where);
// The caller at the other end of a Unix socket, from SO_PEERCRED: the service's own user and root
// are owners; other users have `other_users`. A user that the kernel can't name has no rights.
[[nodiscard]] Caller peer_caller(int socket, Role other_users, const UserNamespace& users);
// The address at the other end of a TCP socket, without the port; of IPv6 its network of 64 bits, of
// which one computer may have all addresses. "": it is closed.
[[nodiscard]] std::string peer_address(int socket);
// An inherited socket. Errors: invalid (not a listening stream socket).
[[nodiscard]] Result<Listener> listener_of(int socket);

}  // namespace copse::server
