// SPDX-License-Identifier: Apache-2.0
#include "server/connections.hpp"

#include <algorithm>

namespace copse::server {

void Connections::add(const std::shared_ptr<Connection>& connection, FairLimit::Permit place) {
  place.on_replaced([weak = std::weak_ptr<Connection>(connection)] {
    if (const auto replaced = weak.lock()) replaced->close();
  });
  connection->place_ = std::move(place);
  all_.insert(connection);
  connection->start();
}

FairLimit::Permit Connections::take_place(const std::shared_ptr<Connection>& connection) {
  FairLimit::Permit out = std::move(connection->place_);
  remove(connection);
  return out;
}

void Connections::remove(const std::shared_ptr<Connection>& connection) {
  connection->place_.release();
  if (all_.erase(connection) == 0) return;
  buffered_bytes_ -= std::exchange(connection->buffered_bytes_, 0);
  if (all_.empty() && emptied_) emptied_();
}

void Connections::set_buffered_bytes(Connection& connection, std::size_t bytes) {
  if (!all_.contains(connection.shared_from_this())) return;  // it is closed
  buffered_bytes_ = buffered_bytes_ - connection.buffered_bytes_ + bytes;
  connection.buffered_bytes_ = bytes;
  while (buffered_bytes_ > buffer_limit_) {
    const auto most =
        std::ranges::max_element(all_, {}, [](const auto& one) { return one->buffered_bytes_; });
    ++disconnected_;
    std::shared_ptr<Connection>(*most)->close();  // close() removes it from all_
  }
}

void Connections::wait(journal::Sequence needs, std::weak_ptr<Connection> connection) {
  waiting_.emplace(needs, std::move(connection));
}

void Connections::on_durable(journal::Sequence next) {
  while (!waiting_.empty() && waiting_.begin()->first <= next) {
    const auto connection = waiting_.begin()->second.lock();
    waiting_.erase(waiting_.begin());
    if (connection != nullptr) connection->flush();
  }
  std::erase_if(watching_, [](const auto& one) { return one.expired(); });
  for (const auto& one : std::vector(watching_)) {
    if (const auto connection = one.lock()) connection->flush();
  }
}

void Connections::stop_listening() {
  for (const auto& one : std::vector(all_.begin(), all_.end())) one->stop_listening();
}

void Connections::close_all() {
  for (const auto& one : std::vector(all_.begin(), all_.end())) one->close();
}

}  // namespace copse::server
