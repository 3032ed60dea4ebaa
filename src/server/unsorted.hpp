// SPDX-License-Identifier: Apache-2.0
//
// Unsorted: a client of a Unix socket that has not said anything yet: its first byte tells what it
// speaks. For server.cpp alone: it includes Asio.
#pragma once

#include <utility>  // before Asio 1.74, which uses std::exchange

#include <sys/socket.h>

#include <functional>
#include <memory>

#include <boost/asio/generic/stream_protocol.hpp>

#include "server/connections.hpp"

namespace copse::server {

class Unsorted final : public Connection {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;
  // Told of its first byte, or that there is none.
  using Sort = std::function<void(std::shared_ptr<Unsorted> self, char first)>;

  Unsorted(Socket socket, Connections& all, Sort sort)
      : socket_(std::move(socket)), all_(all), sort_(std::move(sort)) {}

  void start() override {
    socket_.async_wait(Socket::wait_read,
                       [weak = weak_from_this()](const boost::system::error_code& code) {
                         const auto self = std::static_pointer_cast<Unsorted>(weak.lock());
                         if (code || self == nullptr) return;
                         char first = '\0';
                         (void)::recv(self->socket_.native_handle(), &first, 1, MSG_PEEK);
                         self->sort_(self, first);
                       });
  }
  void stop_listening() override { close(); }
  void flush() override {}
  void resume() override {}
  void close() override {
    boost::system::error_code ignored;
    (void)socket_.close(ignored);
    all_.remove(shared_from_this());
  }
  Socket& socket() { return socket_; }

 private:
  Socket socket_;
  Connections& all_;
  Sort sort_;
};

}  // namespace copse::server
