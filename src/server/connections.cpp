// SPDX-License-Identifier: Apache-2.0
#include "server/connections.hpp"

#include <algorithm>

namespace copse::server {

void Connections::add(const std::shared_ptr<Connection>& connection) {
  all_.insert(connection);
  connection->start();
}

void Connections::remove(const std::shared_ptr<Connection>& connection) {
  if (all_.erase(connection) == 0) return;
  held_ -= std::exchange(connection->held_, 0);
  if (all_.empty() && emptied_) emptied_();
}

void Connections::holds(Connection& connection, std::size_t bytes) {
  if (!all_.contains(connection.shared_from_this())) return;  // it has gone
  held_ = held_ - connection.held_ + bytes;
  connection.held_ = bytes;
  while (held_ > held_max_) {
    const auto most =
        std::ranges::max_element(all_, {}, [](const auto& one) { return one->held_; });
    ++let_go_;
    std::shared_ptr<Connection>(*most)->close();  // it is no more among all of them then
  }
}

void Connections::wait(journal::Sequence needs, std::weak_ptr<Connection> connection) {
  waiting_.emplace(needs, std::move(connection));
}

void Connections::kept(journal::Sequence next) {
  while (!waiting_.empty() && waiting_.begin()->first <= next) {
    const auto connection = waiting_.begin()->second.lock();
    waiting_.erase(waiting_.begin());
    if (connection != nullptr) connection->flush();
  }
  std::erase_if(watching_, [](const auto& one) { return one.expired(); });
  for (const auto& one : std::vector(watching_)) {
    if (const auto connection = one.lock()) connection->flush();
  }
  for (const auto& paused : std::exchange(paused_, {})) {
    if (const auto connection = paused.lock()) connection->resume();
  }
}

void Connections::stop_listening() {
  for (const auto& one : std::vector(all_.begin(), all_.end())) one->stop_listening();
}

void Connections::close_all() {
  for (const auto& one : std::vector(all_.begin(), all_.end())) one->close();
}

}  // namespace copse::server
