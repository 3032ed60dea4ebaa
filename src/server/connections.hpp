// SPDX-License-Identifier: Apache-2.0
//
// Connections: all clients that are connected, and whom a commit concerns. Connection: one of them,
// whatever it speaks.
//
// Invariants
//   1. A connection is among all of them from add() until it has removed itself; whoever waits and has
//      gone is passed over.
//   2. held() is the sum of what all of them hold.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "journal/store.hpp"

namespace copse::server {

// What a connection asks of the server.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  [[nodiscard]] virtual std::int64_t now_s() const = 0;
  [[nodiscard]] virtual journal::Sequence durable() const = 0;  // records before it are on disk
  [[nodiscard]] virtual bool busy() const = 0;  // too much is on its way to the disk
  virtual void served() = 0;                    // a client did something: there may be work to do
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  virtual ~Connection() = default;
  virtual void start() = 0;
  virtual void stop_listening() = 0;
  // Sends what may be sent, unless something is being sent.
  virtual void flush() = 0;
  // Listens again, after the server was busy.
  virtual void resume() = 0;
  virtual void close() = 0;

 private:
  friend class Connections;
  std::size_t held_ = 0;  // as it said last
};

class Connections {
 public:
  void add(const std::shared_ptr<Connection>& connection);  // and starts it
  void remove(const std::shared_ptr<Connection>& connection);
  [[nodiscard]] std::size_t size() const { return all_.size(); }

  // Called when the last one has gone.
  void when_empty(std::function<void()> emptied) { emptied_ = std::move(emptied); }
  // The connection is owed an answer that needs records which are not on disk.
  void wait(journal::Sequence needs, std::weak_ptr<Connection> connection);
  // It is to be sent events after each commit.
  void watch(std::weak_ptr<Connection> connection) { watching_.push_back(std::move(connection)); }
  // It is not listened to until a commit has made room.
  void pause(std::weak_ptr<Connection> connection) { paused_.push_back(std::move(connection)); }
  // Records before `next` are on disk.
  void kept(journal::Sequence next);
  void stop_listening();
  void close_all();
  // What a connection keeps for its client: lines that have not ended, answers that are not sent. If all
  // keep more than `most`, whoever keeps the most is let go: perhaps this one.
  void holds(Connection& connection, std::size_t bytes);
  void bound(std::size_t most) { held_max_ = most; }
  [[nodiscard]] std::size_t held() const { return held_; }
  [[nodiscard]] std::uint64_t let_go() const { return let_go_; }
  // Where all connections read to.
  [[nodiscard]] std::array<char, std::size_t{1} << 16>& buffer() { return buffer_; }

 private:
  std::unordered_set<std::shared_ptr<Connection>> all_;
  std::multimap<journal::Sequence, std::weak_ptr<Connection>> waiting_;
  std::vector<std::weak_ptr<Connection>> paused_, watching_;
  std::function<void()> emptied_{};
  std::size_t held_ = 0, held_max_ = SIZE_MAX;
  std::uint64_t let_go_ = 0;
  std::array<char, std::size_t{1} << 16> buffer_{};
};

}  // namespace copse::server
