// SPDX-License-Identifier: Apache-2.0
//
// A client's end of a Unix socket, for tests: lines out, lines in; waits at most two minutes (base/eventually.hpp).
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <string_view>

#include "base/eventually.hpp"

namespace copse::server {

class LineSocket {
 public:
  explicit LineSocket(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    const timeval wait{.tv_sec = kWaitMost.count(), .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~LineSocket() { ::close(socket_); }
  LineSocket(const LineSocket&) = delete;
  LineSocket& operator=(const LineSocket&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  // False: the other end has gone.
  bool send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void send_no_more() const { ::shutdown(socket_, SHUT_WR); }
  // Without its end; "" if there is none.
  std::string line() {
    for (;;) {
      const auto end = received_.find('\n');
      if (end != std::string::npos) {
        std::string out = received_.substr(0, end);
        received_.erase(0, end + 1);
        return out;
      }
      char bytes[4096];
      const ssize_t got = ::recv(socket_, bytes, sizeof(bytes), 0);
      if (got <= 0) return "";
      received_.append(bytes, static_cast<std::size_t>(got));
    }
  }
  std::string ask(std::string_view request) {
    return send(std::string(request) + "\n") ? line() : "";
  }

 private:
  int socket_;
  bool connected_ = false;
  std::string received_;
};

}  // namespace copse::server
