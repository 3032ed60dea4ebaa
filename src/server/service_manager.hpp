// SPDX-License-Identifier: Apache-2.0
//
// ServiceManager: what systemd tells a service, and is told by it: sd_notify(3), sd_listen_fds(3).
// Without a manager nothing is told to anybody.
//
// The protocol is a datagram and two variables of the environment, so that no library is linked.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace copse::server {

class ServiceManager {
 public:
  // Reads NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID, LISTEN_FDS and LISTEN_PID, and unsets them:
  // they are not for what this process starts.
  [[nodiscard]] static ServiceManager of_environment();

  void ready() const { notify("READY=1"); }
  void reloading() const;
  void stopping() const { notify("STOPPING=1"); }
  void lives() const { notify("WATCHDOG=1"); }
  void status(std::string_view text) const;

  // How often it wants to hear lives(): half of what it allows.
  [[nodiscard]] std::optional<std::chrono::microseconds> every() const { return every_; }
  // Sockets that it handed down.
  [[nodiscard]] const std::vector<int>& sockets() const { return sockets_; }

 private:
  void notify(std::string_view text) const;

  std::string path_{};
  std::optional<std::chrono::microseconds> every_{};
  std::vector<int> sockets_{};
};

}  // namespace copse::server
