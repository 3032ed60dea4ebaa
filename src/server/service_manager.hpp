// SPDX-License-Identifier: Apache-2.0
//
// ServiceManager: the service's side of sd_notify(3) and sd_listen_fds(3). Without systemd, all
// notifications are dropped.
//
// The protocol is a datagram and a few environment variables, so no library is linked.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace copse::server {

class ServiceManager {
 public:
  // Reads NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID, LISTEN_FDS and LISTEN_PID, and unsets them,
  // because child processes must not inherit them.
  [[nodiscard]] static ServiceManager from_environment();

  void ready() const { notify("READY=1"); }
  void reloading() const;
  void stopping() const { notify("STOPPING=1"); }
  void notify_watchdog() const { notify("WATCHDOG=1"); }
  void status(std::string_view text) const;

  // The interval of notify_watchdog(): half of the manager's timeout; nullopt: no watchdog.
  [[nodiscard]] std::optional<std::chrono::microseconds> watchdog_interval() const {
    return watchdog_interval_;
  }
  // Listening sockets passed by the manager.
  [[nodiscard]] const std::vector<int>& inherited_sockets() const { return inherited_sockets_; }

 private:
  void notify(std::string_view text) const;

  std::string path_{};
  std::optional<std::chrono::microseconds> watchdog_interval_{};
  std::vector<int> inherited_sockets_{};
};

}  // namespace copse::server
