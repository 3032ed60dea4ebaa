// SPDX-License-Identifier: Apache-2.0
#include "streams.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "client.hpp"

namespace copse::bench {

Streams::Streams(const std::string& path, int count) : ready_(::epoll_create1(EPOLL_CLOEXEC)) {
  constexpr std::string_view kAsk = "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n";
  for (int i = 0; i < count; ++i) {
    sockets_.push_back(connect_to(path));
    if (::send(sockets_.back(), kAsk.data(), kAsk.size(), MSG_NOSIGNAL) < 0) {
      give_up("the service has gone");
    }
    epoll_event event{.events = EPOLLIN, .data = {.fd = sockets_.back()}};
    (void)::epoll_ctl(ready_, EPOLL_CTL_ADD, sockets_.back(), &event);
  }
  thread_ = std::thread([this] { read(); });
}

Streams::~Streams() {
  over_ = true;
  thread_.join();
  for (const int socket : sockets_) ::close(socket);
  ::close(ready_);
}

// An event begins with its number.
void Streams::note(int socket, const char* bytes, std::size_t size) {
  bytes_ += size;
  if (socket != sockets_.front()) return;
  first_bytes_ += size;
  const std::string_view text(bytes, size);
  for (std::size_t at = 0; (at = text.find("id: ", at)) != std::string_view::npos; at += 4) {
    ++first_events_;
  }
}

void Streams::read() {
  std::array<epoll_event, 256> events{};
  std::vector<char> bytes(std::size_t{1} << 18);
  while (!over_) {
    const int count = ::epoll_wait(ready_, events.data(), events.size(), 100);
    for (int i = 0; i < count; ++i) {
      const int socket = events.at(static_cast<std::size_t>(i)).data.fd;
      const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got > 0) note(socket, bytes.data(), static_cast<std::size_t>(got));
      if (got != 0) continue;
      ++disconnected_;
      (void)::epoll_ctl(ready_, EPOLL_CTL_DEL, socket, nullptr);
    }
  }
}

}  // namespace copse::bench
