// SPDX-License-Identifier: Apache-2.0
#include "server/service_manager.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

namespace copse::server {

namespace {

constexpr int kListenFdsStart = 3;
constexpr std::int64_t kListenFdsMax = 1024;

// Returns a variable, "" if it is not set, and unsets it.
std::string take_variable(const char* name) {
  const char* value = std::getenv(name);
  std::string out = value == nullptr ? "" : value;
  ::unsetenv(name);
  return out;
}

std::optional<std::int64_t> take_number(const char* name) {
  const std::string text = take_variable(name);
  std::int64_t out = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, out);
  if (text.empty() || error != std::errc() || at != end || out < 0) return std::nullopt;
  return out;
}

}  // namespace

ServiceManager ServiceManager::from_environment() {
  ServiceManager out;
  out.path_ = take_variable("NOTIFY_SOCKET");
  const auto watchdog = take_number("WATCHDOG_USEC"), watched = take_number("WATCHDOG_PID");
  if (watchdog && *watchdog > 0 && watched.value_or(::getpid()) == ::getpid()) {
    out.watchdog_interval_ = std::chrono::microseconds(*watchdog / 2);
  }
  const auto count = take_number("LISTEN_FDS"), process = take_number("LISTEN_PID");
  (void)take_variable("LISTEN_FDNAMES");
  if (!count || process != ::getpid()) return out;
  for (int i = 0; i < static_cast<int>(std::min(*count, kListenFdsMax)); ++i) {
    (void)::fcntl(kListenFdsStart + i, F_SETFD, FD_CLOEXEC);
    out.inherited_sockets_.push_back(kListenFdsStart + i);
  }
  return out;
}

void ServiceManager::reloading() const {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  notify(fmt::format("RELOADING=1\nMONOTONIC_USEC={}",
                     std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000));
}

void ServiceManager::status(std::string_view text) const { notify(fmt::format("STATUS={}", text)); }

void ServiceManager::notify(std::string_view text) const {
  sockaddr_un address{};
  if (path_.size() < 2 || path_.size() >= sizeof(address.sun_path)) return;
  address.sun_family = AF_UNIX;
  path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (path_.front() == '@') address.sun_path[0] = '\0';  // an abstract socket of Linux
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size());
  (void)::sendto(socket, text.data(), text.size(), MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&address), size);
  ::close(socket);
}

}  // namespace copse::server
