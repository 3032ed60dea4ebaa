// SPDX-License-Identifier: Apache-2.0
#include <utility>  // before Asio 1.74, which uses std::exchange

#include "server/line_connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace copse::server {

namespace asio = boost::asio;

LineConnection::LineConnection(Socket socket, Service& service, ConnectionHost& host,
                               Connections& all, LineClient::Limits limits, Who who)
    : socket_(std::move(socket)), host_(host), all_(all), client_(service, limits, std::move(who)) {
  boost::system::error_code ignored;
  (void)socket_.non_blocking(true, ignored);
}

void LineConnection::listen() {
  if (waiting_ || told_to_stop_ || !client_.listening()) return;
  waiting_ = true;
  socket_.async_wait(Socket::wait_read, [self = self()](const boost::system::error_code& code) {
    self->waiting_ = false;
    if (!code) self->receive();
  });
}

void LineConnection::receive() {
  if (told_to_stop_ || !client_.listening()) return settle();
  if (host_.busy()) return all_.pause(weak_from_this());
  boost::system::error_code code;
  const std::size_t got = socket_.read_some(asio::buffer(all_.buffer()), code);
  if (code == asio::error::would_block) return settle();
  if (code == asio::error::eof) {
    client_.end(host_.now_s());
  } else if (code) {
    return close();
  } else {
    client_.take({all_.buffer().data(), got}, host_.now_s());
  }
  settle();
}

void LineConnection::settle() {
  host_.served();
  flush();
  all_.holds(*this, client_.held_bytes() + sending_.size());
  if (!socket_.is_open()) return;
  const bool over = client_.finished() || (told_to_stop_ && !client_.owed());
  if (over && sending_.empty()) return close();
  listen();
}

void LineConnection::flush() {
  if (!sending_.empty() || !socket_.is_open()) return;
  client_.send(host_.durable(), sending_);
  if (client_.owed() && client_.needs() != awaited_) {
    awaited_ = client_.needs();
    all_.wait(awaited_, weak_from_this());
  }
  if (client_.watching() && !std::exchange(watching_, true)) all_.watch(weak_from_this());
  if (sending_.empty()) return;
  asio::async_write(socket_, asio::buffer(sending_),
                    [self = self()](const boost::system::error_code& code, std::size_t) {
                      if (code) return self->close();
                      self->sending_.clear();
                      if (!self->told_to_stop_) self->client_.go_on(self->host_.now_s());
                      self->settle();
                    });
}

void LineConnection::resume() { settle(); }

// Nothing is cancelled: an answer that is being sent would be cut.
void LineConnection::stop_listening() {
  told_to_stop_ = true;
  settle();
}

void LineConnection::close() {
  boost::system::error_code ignored;
  (void)socket_.close(ignored);
  all_.remove(shared_from_this());
}

}  // namespace copse::server
