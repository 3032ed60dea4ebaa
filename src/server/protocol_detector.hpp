// SPDX-License-Identifier: Apache-2.0
//
// ProtocolDetector: a new client of a Unix socket. Its first byte decides whether it speaks HTTP or
// lines. For server.cpp only: it includes Asio.
#pragma once

#include <utility>  // before Asio 1.74, which uses std::exchange

#include <sys/socket.h>

#include <functional>
#include <memory>

#include <boost/asio/generic/stream_protocol.hpp>

#include "server/connections.hpp"

namespace copse::server {

class ProtocolDetector final : public Connection {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;
  // Receives the first byte; '\0': the client sent none.
  using Detected = std::function<void(std::shared_ptr<ProtocolDetector> self, char first)>;

  ProtocolDetector(Socket socket, Connections& all, Account account, Detected detected)
      : Connection(std::move(account)),
        socket_(std::move(socket)),
        all_(all),
        detected_(std::move(detected)) {}

  void start() override {
    socket_.async_wait(Socket::wait_read,
                       [weak = weak_from_this()](const boost::system::error_code& code) {
                         const auto self = std::static_pointer_cast<ProtocolDetector>(weak.lock());
                         if (code || self == nullptr) return;
                         char first = '\0';
                         (void)::recv(self->socket_.native_handle(), &first, 1, MSG_PEEK);
                         self->detected_(self, first);
                       });
  }
  void stop_listening() override { close(); }
  void flush() override {}
  bool work(queue::WorkBudget /*budget*/) override { return false; }
  void close() override {
    boost::system::error_code ignored;
    (void)socket_.close(ignored);
    all_.remove(shared_from_this());
  }
  Socket& socket() { return socket_; }

 private:
  Socket socket_;
  Connections& all_;
  Detected detected_;
};

}  // namespace copse::server
