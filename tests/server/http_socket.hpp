// SPDX-License-Identifier: Apache-2.0
//
// A client's end of HTTP, plain or over TLS, for tests: bytes out, answers in. It waits at most two minutes
// (base/eventually.hpp).
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/eventually.hpp"
#include "server/tls/tls_client.hpp"

namespace copse::server {

struct HttpAnswer {
  int status = 0;  // 0: the other end has gone
  std::string head, body;
};

class HttpSocket {
 public:
  // "127.0.0.1:7400", or the path of a Unix socket.
  explicit HttpSocket(const std::string& where) {
    if (where.starts_with('/')) {
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      where.copy(address.sun_path, sizeof(address.sun_path) - 1);
      connect_to(AF_UNIX, &address, sizeof(address));
    } else {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      address.sin_port =
          htons(static_cast<std::uint16_t>(std::atoi(where.substr(where.rfind(':') + 1).c_str())));
      connect_to(AF_INET, &address, sizeof(address));
    }
  }
  // Over TLS. REQUIRES that the service is trusted: why not is in trouble().
  HttpSocket(const std::string& where, const TlsClient& tls, const std::string& host = "localhost")
      : HttpSocket(where) {
    auto made = tls.connect(socket_, host, "https://" + where, kWait_ms);
    if (made) {
      tls_ = std::move(*made);
    } else {
      connected_ = false;
      trouble_ = made.error().message();
    }
  }
  ~HttpSocket() {
    tls_.reset();
    ::close(socket_);
  }
  HttpSocket(const HttpSocket&) = delete;
  HttpSocket& operator=(const HttpSocket&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  // False: the other end has gone.
  bool send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = tls_ != nullptr
                               ? send_secretly(text)
                               : ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  static std::string request(std::string_view method, std::string_view target,
                             std::string_view body = {}, std::string_view token = {}) {
    std::string out = fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\n", method, target);
    if (!token.empty()) out += fmt::format("Authorization: Bearer {}\r\n", token);
    if (!body.empty()) out += fmt::format("Content-Length: {}\r\n", body.size());
    return out + "\r\n" + std::string(body);
  }
  HttpAnswer answer() {
    HttpAnswer out;
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive()) return out;
    }
    out.head = received_.substr(0, end + 2);
    received_.erase(0, end + 4);
    out.status = std::atoi(out.head.substr(std::min<std::size_t>(9, out.head.size())).c_str());
    const std::size_t at = out.head.find("Content-Length: ");
    const std::size_t size =
        at == std::string::npos ? 0 : static_cast<std::size_t>(std::atol(&out.head[at + 16]));
    while (received_.size() < size) {
      if (!receive()) return {};
    }
    out.body = received_.substr(0, size);
    received_.erase(0, size);
    return out;
  }
  HttpAnswer ask(std::string_view method, std::string_view target, std::string_view body = {},
                 std::string_view token = {}) {
    return send(request(method, target, body, token)) ? answer() : HttpAnswer{};
  }
  // What comes until that text has come; "" if it does not.
  std::string until(std::string_view text) {
    for (;;) {
      const std::size_t at = received_.find(text);
      if (at != std::string::npos) {
        std::string out = received_.substr(0, at + text.size());
        received_.erase(0, out.size());
        return out;
      }
      if (!receive()) return "";
    }
  }
  [[nodiscard]] bool ended() {  // it sends no more
    while (receive()) {
    }
    return over_;
  }

 private:
  static constexpr int kWait_ms = static_cast<int>(std::chrono::milliseconds(kWaitMost).count());

  void connect_to(int family, const void* address, socklen_t size) {
    socket_ = ::socket(family, SOCK_STREAM, 0);
    const timeval wait{.tv_sec = kWaitMost.count(), .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    connected_ = ::connect(socket_, static_cast<const sockaddr*>(address), size) == 0;
  }
  // As send() and recv() do; -1 after the time limit.
  [[nodiscard]] ssize_t send_secretly(std::string_view text) const {
    for (;;) {
      const TlsSocket::Step step = tls_->write(text);
      if (step.state == TlsSocket::Step::State::done) return static_cast<ssize_t>(step.bytes);
      if (!step.waits() || !wait_for(socket_, step.state, kWait_ms)) return -1;
    }
  }
  ssize_t receive_secretly(char* bytes, std::size_t most) {
    for (;;) {
      const TlsSocket::Step step = tls_->read(bytes, most);
      if (step.state == TlsSocket::Step::State::done) return static_cast<ssize_t>(step.bytes);
      if (step.state == TlsSocket::Step::State::ended) return 0;
      if (step.state == TlsSocket::Step::State::failed) trouble_ = step.why;
      errno = EPROTO;
      if (!step.waits() || !wait_for(socket_, step.state, kWait_ms)) return -1;
    }
  }
  bool receive() {
    char bytes[4096];
    const ssize_t got = tls_ != nullptr ? receive_secretly(bytes, sizeof(bytes))
                                        : ::recv(socket_, bytes, sizeof(bytes), 0);
    over_ = got == 0 || (got < 0 && errno == ECONNRESET);
    if (got <= 0) return false;
    received_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  int socket_ = -1;
  bool connected_ = false, over_ = false;
  std::string received_, trouble_;
  std::unique_ptr<TlsSocket> tls_;
};

}  // namespace copse::server
