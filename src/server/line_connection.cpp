// SPDX-License-Identifier: Apache-2.0
#include <utility>  // before Asio 1.74, which uses std::exchange

#include "server/line_connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace copse::server {

namespace asio = boost::asio;

LineConnection::LineConnection(Socket socket, Service& service, ConnectionHost& host,
                               Connections& all, LineClient::Limits limits, const Caller& caller)
    : Connection(account_of(caller)),
      socket_(std::move(socket)),
      host_(host),
      all_(all),
      client_(service, limits, caller) {
  boost::system::error_code ignored;
  (void)socket_.non_blocking(true, ignored);
}

void LineConnection::listen() {
  if (waiting_ || stopping_ || !client_.accepts_input()) return;
  waiting_ = true;
  socket_.async_wait(Socket::wait_read, [self = self()](const boost::system::error_code& code) {
    self->waiting_ = false;
    if (!code) self->receive();
  });
}

void LineConnection::receive() {
  if (stopping_ || !client_.accepts_input()) return advance();
  boost::system::error_code code;
  const std::size_t got = socket_.read_some(asio::buffer(all_.buffer()), code);
  if (code == asio::error::would_block) return advance();
  if (code == asio::error::eof) {
    client_.end_input();
  } else if (code) {
    return close();
  } else {
    client_.add_input({all_.buffer().data(), got});
  }
  advance();
}

bool LineConnection::work(queue::WorkBudget budget) {
  if (!socket_.is_open()) return false;
  client_.process(host_.now_s(), budget);
  advance();
  return false;  // advance() waits for the next turn
}

void LineConnection::advance() {
  flush();
  if (client_.has_work()) host_.add_turn(shared_from_this());
  all_.set_buffered_bytes(*this, client_.buffered_bytes() + sending_.size());
  if (!socket_.is_open()) return;
  const bool over =
      client_.finished() || (stopping_ && !client_.has_unsent() && !client_.has_work());
  if (over && sending_.empty()) return close();
  listen();
}

void LineConnection::flush() {
  if (!sending_.empty() || !socket_.is_open()) return;
  client_.send(host_.durable(), sending_);
  if (client_.has_unsent() && client_.needs() != awaited_) {
    awaited_ = client_.needs();
    all_.wait(awaited_, weak_from_this());
  }
  if (client_.is_watching() && !std::exchange(watching_, true)) all_.watch(weak_from_this());
  if (sending_.empty()) return;
  asio::async_write(socket_, asio::buffer(sending_),
                    [self = self()](const boost::system::error_code& code, std::size_t) {
                      if (code) return self->close();
                      self->sending_.clear();
                      self->advance();
                    });
}

// Nothing is cancelled: that would cut off an answer that is being sent.
void LineConnection::stop_listening() {
  stopping_ = true;
  advance();
}

void LineConnection::close() {
  boost::system::error_code ignored;
  (void)socket_.close(ignored);
  all_.remove(shared_from_this());
}

}  // namespace copse::server
