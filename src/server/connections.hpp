// SPDX-License-Identifier: Apache-2.0
//
// Connections: all connected clients, and those that wait for a commit. Connection: one client,
// whatever its protocol.
//
// Invariants
//   1. A connection is in the set from add() until it removes itself; a closed one that waits is skipped.
//   2. buffered_bytes() is the sum over all connections.
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
#include "server/fairness/fair_limit.hpp"
#include "server/fairness/fair_queue.hpp"

namespace copse::server {

class Connection;

// The part of the server that a connection uses.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  [[nodiscard]] virtual std::int64_t now_s() const = 0;
  [[nodiscard]] virtual journal::Sequence durable() const = 0;  // all records before it are on disk
  // Lets the connection work when it is its turn.
  virtual void add_turn(const std::shared_ptr<Connection>& connection) = 0;
};

class Connection : public FairQueue::Client, public std::enable_shared_from_this<Connection> {
 public:
  explicit Connection(Account account) : account_(std::move(account)) {}
  // Whose time and place it uses.
  [[nodiscard]] const Account& account() const { return account_; }
  virtual void start() = 0;
  virtual void stop_listening() = 0;
  // Sends what may be sent, unless a write is in progress.
  virtual void flush() = 0;
  virtual void close() = 0;

 protected:
  void set_account(const Account& account) {
    account_ = account;
    place_.identify(account);
  }

 private:
  friend class Connections;
  Account account_;
  FairLimit::Permit place_{};
  std::size_t buffered_bytes_ = 0;  // as it reported last
};

class Connections {
 public:
  // Starts it, in its place, which another connection may get later.
  void add(const std::shared_ptr<Connection>& connection, FairLimit::Permit place);
  // Removes it, and returns its place.
  FairLimit::Permit take_place(const std::shared_ptr<Connection>& connection);
  void remove(const std::shared_ptr<Connection>& connection);
  [[nodiscard]] std::size_t size() const { return all_.size(); }

  // `emptied` is called when the last connection is removed.
  void when_empty(std::function<void()> emptied) { emptied_ = std::move(emptied); }
  // Flushes the connection when all records before `needs` are on disk: its answer depends on them.
  void wait(journal::Sequence needs, std::weak_ptr<Connection> connection);
  // Flushes the connection after each commit: it receives events.
  void watch(std::weak_ptr<Connection> connection) { watching_.push_back(std::move(connection)); }
  // All records before `next` are on disk.
  void on_durable(journal::Sequence next);
  void stop_listening();
  void close_all();
  // The bytes that a connection buffers for its client: partial lines and unsent answers. While the
  // sum exceeds `most`, the connection with the most is closed, perhaps this one.
  void set_buffered_bytes(Connection& connection, std::size_t bytes);
  void set_buffer_limit(std::size_t most) { buffer_limit_ = most; }
  [[nodiscard]] std::size_t buffered_bytes() const { return buffered_bytes_; }
  [[nodiscard]] std::uint64_t disconnected() const { return disconnected_; }
  // The input buffer that all connections share.
  [[nodiscard]] std::array<char, std::size_t{1} << 16>& buffer() { return buffer_; }

 private:
  std::unordered_set<std::shared_ptr<Connection>> all_;
  std::multimap<journal::Sequence, std::weak_ptr<Connection>> waiting_;
  std::vector<std::weak_ptr<Connection>> watching_;
  std::function<void()> emptied_{};
  std::size_t buffered_bytes_ = 0, buffer_limit_ = SIZE_MAX;
  std::uint64_t disconnected_ = 0;
  std::array<char, std::size_t{1} << 16> buffer_{};
};

}  // namespace copse::server
