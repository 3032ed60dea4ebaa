// SPDX-License-Identifier: Apache-2.0
//
// Acceptors: the sockets at which a server listens. When a socket can't be accepted, most likely because
// the process has no file descriptors left, they wait a moment and try again.
#pragma once

#include <utility>  // before Asio 1.74, which uses std::exchange

#include <functional>
#include <string>
#include <vector>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/listen.hpp"

namespace copse::server {

class Acceptors {
 public:
  using Stream = boost::asio::generic::stream_protocol;
  using Accepted = std::function<void(Stream::socket socket)>;

  // REQUIRES that the loop outlives this.
  Acceptors(boost::asio::io_context& loop, Accepted accepted)
      : loop_(loop), timer_(loop), accepted_(std::move(accepted)) {}

  // Returns the name of the place. Errors: io.
  [[nodiscard]] Result<std::string> add(Listener listener);
  void start();
  // No client is accepted any more; socket files are removed.
  void close();

 private:
  using Acceptor = boost::asio::basic_socket_acceptor<Stream>;
  void accept(std::size_t number);

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  Accepted accepted_;
  std::vector<Acceptor> acceptors_{};
  std::vector<SocketFile> files_{};
  bool closed_ = false;
};

}  // namespace copse::server
