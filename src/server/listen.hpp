// SPDX-License-Identifier: Apache-2.0
//
// Sockets that listen: made at a path or an address, or handed down by whoever started the process.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "copse/error.hpp"
#include "server/rights/rights.hpp"
#include "server/socket_file.hpp"

namespace copse::server {

struct Listener {
  int socket = -1;     // who has it closes it
  int family = 0;      // AF_UNIX, AF_INET, AF_INET6
  std::string name{};  // for people: a path, or "127.0.0.1:7400" with the port that it got
  std::optional<SocketFile> file{};  // that goes with it
  bool loopback = true;
};

// A socket file of that mode; one that nobody listens to is replaced. Errors: as SocketFile::take; io.
[[nodiscard]] Result<Listener> listen_on_unix(const std::string& path, mode_t mode);
// "7400", "127.0.0.1:7400", "[::1]:7400": an address in digits, the loopback one if there is none.
// Port 0: any. Errors: invalid; io.
[[nodiscard]] Result<Listener> listen_on_tcp(const std::string& where);
// Whether it is such an address. Errors: invalid.
[[nodiscard]] Result<void> check_tcp_address(const std::string& where);
// Who is at the other end of a Unix socket, by the kernel: the user of the service and root own it.
[[nodiscard]] Who peer_of(int socket, Role everybody);
// One that is listening already. Errors: invalid (it is no such socket).
[[nodiscard]] Result<Listener> listener_of(int socket);

}  // namespace copse::server
