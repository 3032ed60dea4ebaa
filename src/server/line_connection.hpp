// SPDX-License-Identifier: Apache-2.0
//
// LineConnection: a LineClient on a socket.
//
// A connection is read when there is something to read, into one buffer of all connections, and
// only while its client is listened to. It is written to when what it is owed is on disk.
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
                 LineClient::Limits limits, Who who);

  void start() override { listen(); }
  void stop_listening() override;
  void flush() override;
  void resume() override;
  void close() override;
  [[nodiscard]] const LineClient& client() const { return client_; }

 private:
  void listen();
  void receive();
  [[nodiscard]] std::shared_ptr<LineConnection> self() {
    return std::static_pointer_cast<LineConnection>(shared_from_this());
  }
  // After the client did something: sends, listens, or goes.
  void settle();

  Socket socket_;
  ConnectionHost& host_;
  Connections& all_;
  LineClient client_;
  std::string sending_{};
  journal::Sequence awaited_ = 0;  // Connections::wait() was told so; 0: no
  bool waiting_ = false;           // for something to read
  bool told_to_stop_ = false;
  bool watching_ = false;  // Connections::watch() was told so
};

}  // namespace copse::server
