// SPDX-License-Identifier: Apache-2.0
//
// LineConnection: a LineClient on a socket.
//
// The socket is read into a buffer that all connections share, while the client accepts input. Lines
// are answered when it is the client's turn. The socket is written when the records that the next
// answer needs are on disk.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/generic/stream_protocol.hpp>

#include "server/connections.hpp"
#include "server/line_client.hpp"

namespace copse::server {

class LineConnection : public Connection {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  LineConnection(Socket socket, Service& service, ConnectionHost& host, Connections& all,
                 LineClient::Limits limits, const Caller& caller);

  void start() override { listen(); }
  void stop_listening() override;
  void flush() override;
  bool work(queue::WorkBudget budget) override;
  void close() override;
  [[nodiscard]] const LineClient& client() const { return client_; }

 private:
  void listen();
  void receive();
  [[nodiscard]] std::shared_ptr<LineConnection> self() {
    return std::static_pointer_cast<LineConnection>(shared_from_this());
  }
  // The next step after any progress: sends, waits for a turn, reads or closes.
  void advance();

  Socket socket_;
  ConnectionHost& host_;
  Connections& all_;
  LineClient client_;
  std::string sending_{};
  journal::Sequence awaited_ = 0;  // last argument of Connections::wait(); 0: none
  bool waiting_ = false;           // until the socket is readable
  bool stopping_ = false;
  bool watching_ = false;  // Connections::watch() was called
};

}  // namespace copse::server
