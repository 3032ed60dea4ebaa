// SPDX-License-Identifier: Apache-2.0
//
// LineConnection: a LineClient on a socket. Connections: all of them, and whom a commit concerns.
//
// A connection is read when there is something to read, into one buffer of all connections, and
// only while its client is listened to. It is written to when what it is owed is on disk.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/asio/local/stream_protocol.hpp>

#include "server/line_client.hpp"

namespace copse::server {

// What a connection asks of the server.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  [[nodiscard]] virtual std::int64_t now_s() const = 0;
  [[nodiscard]] virtual store::Sequence durable() const = 0;  // records before it are on disk
  [[nodiscard]] virtual bool busy() const = 0;                // too much is on its way to the disk
  virtual void served() = 0;  // a client did something: there may be work to do
};

class Connections;

class LineConnection : public std::enable_shared_from_this<LineConnection> {
 public:
  using Socket = boost::asio::local::stream_protocol::socket;

  LineConnection(Socket socket, Service& service, ConnectionHost& host, Connections& all,
                 LineClient::Limits limits);

  void start() { listen(); }
  void stop_listening();
  // Sends what may be sent, unless something is being sent.
  void flush();
  // Listens again, after the server was busy.
  void resume();
  void close();
  [[nodiscard]] const LineClient& client() const { return client_; }

 private:
  void listen();
  void receive();
  // After the client did something: sends, listens, or goes.
  void settle();

  Socket socket_;
  ConnectionHost& host_;
  Connections& all_;
  LineClient client_;
  std::string sending_{};
  store::Sequence awaited_ = 0;  // Connections::wait() was told so; 0: no
  bool waiting_ = false;         // for something to read
  bool told_to_stop_ = false;
  bool watching_ = false;  // Connections::watch() was told so
};

class Connections {
 public:
  void add(LineConnection::Socket socket, Service& service, ConnectionHost& host,
           LineClient::Limits limits);
  void remove(const std::shared_ptr<LineConnection>& connection);
  [[nodiscard]] std::size_t size() const { return all_.size(); }

  // Called when the last one has gone.
  void when_empty(std::function<void()> emptied) { emptied_ = std::move(emptied); }
  // The connection is owed an answer that needs records which are not on disk.
  void wait(store::Sequence needs, std::weak_ptr<LineConnection> connection);
  // It is to be sent events after each commit.
  void watch(std::weak_ptr<LineConnection> connection) {
    watching_.push_back(std::move(connection));
  }
  // It is not listened to until a commit has made room.
  void pause(std::weak_ptr<LineConnection> connection) { paused_.push_back(std::move(connection)); }
  // Records before `next` are on disk.
  void kept(store::Sequence next);
  void stop_listening();
  void close_all();
  // Where all connections read to.
  [[nodiscard]] std::array<char, std::size_t{1} << 16>& buffer() { return buffer_; }

 private:
  std::unordered_set<std::shared_ptr<LineConnection>> all_;
  std::multimap<store::Sequence, std::weak_ptr<LineConnection>> waiting_;
  std::vector<std::weak_ptr<LineConnection>> paused_, watching_;
  std::function<void()> emptied_{};
  std::array<char, std::size_t{1} << 16> buffer_{};
};

}  // namespace copse::server
