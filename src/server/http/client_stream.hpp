// SPDX-License-Identifier: Apache-2.0
//
// ClientStream: the bytes of a client, plain or over TLS. For http_connection.cpp only: it includes
// Asio.
//
// It models the stream concepts of Asio and Beast. Handlers are called from the loop, never from
// within a call that takes them. REQUIRES that a handler keeps the stream alive, and at most one
// read and one write at a time.
#pragma once

#include <utility>  // before Asio 1.74, which uses std::exchange

#include <functional>
#include <memory>
#include <string_view>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/post.hpp>

#include "server/tls/tls_socket.hpp"

namespace copse::server {

class ClientStream {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;
  using executor_type = Socket::executor_type;
  using Code = boost::system::error_code;
  using HandshakeHandler = std::move_only_function<void(const TlsSocket::Step& step)>;

  // `tls`: the TLS of this socket; nullptr: plain.
  ClientStream(Socket socket, std::unique_ptr<TlsSocket> tls)
      : socket_(std::move(socket)), tls_(std::move(tls)) {}

  executor_type get_executor() { return socket_.get_executor(); }
  [[nodiscard]] bool is_tls() const { return tls_ != nullptr; }
  [[nodiscard]] const TlsSocket& tls() const { return *tls_; }

  // REQUIRES is_tls(); called once, first. `then` is not called after close().
  void handshake(HandshakeHandler then) {
    if (!socket_.is_open()) return;
    const TlsSocket::Step step = tls_->handshake();
    if (!step.waits()) return then(step);
    await(step.state, [this, then = std::move(then)](const Code& code) mutable {
      if (!code) handshake(std::move(then));
    });
  }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_ == nullptr) {
      socket_.async_read_some(buffers, std::forward<Handler>(handler));
      return;
    }
    const boost::asio::mutable_buffer buffer = first_of<boost::asio::mutable_buffer>(buffers);
    begin([this, buffer](Done done) { read(buffer, std::move(done)); },
          std::forward<Handler>(handler));
  }

  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (tls_ == nullptr) {
      socket_.async_write_some(buffers, std::forward<Handler>(handler));
      return;
    }
    const boost::asio::const_buffer buffer = first_of<boost::asio::const_buffer>(buffers);
    begin([this, buffer](Done done) { write(buffer, std::move(done)); },
          std::forward<Handler>(handler));
  }

  // Reads bytes to be discarded.
  template <class Handler>
  void async_discard_some(boost::asio::mutable_buffer buffer, Handler&& handler) {
    socket_.async_read_some(boost::asio::buffer(buffer), std::forward<Handler>(handler));
  }
  // Sends a text to a client that does not speak TLS, if the socket accepts it now.
  void write_plain(std::string_view text) {
    Code ignored;
    socket_.write_some(boost::asio::buffer(text), ignored);
  }
  void shutdown_send() {
    if (tls_ != nullptr) tls_->send_close_notify();
    Code ignored;
    (void)socket_.shutdown(Socket::shutdown_send, ignored);
  }
  void close() {
    if (tls_ != nullptr && socket_.is_open()) tls_->send_close_notify();
    Code ignored;
    (void)socket_.close(ignored);
  }

 private:
  using Done = std::move_only_function<void(const Code& code, std::size_t bytes)>;

  template <class Buffer, class Buffers>
  static Buffer first_of(const Buffers& buffers) {
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto one = boost::asio::buffer_sequence_begin(buffers); one != end; ++one) {
      const Buffer buffer(*one);
      if (buffer.size() > 0) return buffer;
    }
    return Buffer();
  }

  template <class Step, class Handler>
  void begin(Step step, Handler&& handler) {
    boost::asio::post(
        get_executor(),
        [step, done = Done(std::forward<Handler>(handler))]() mutable { step(std::move(done)); });
  }

  // The descriptor of a closed socket may belong to another one by now.
  bool over(Done& done) {
    if (socket_.is_open()) return false;
    done(boost::asio::error::operation_aborted, 0);
    return true;
  }

  void read(boost::asio::mutable_buffer buffer, Done done) {
    if (over(done)) return;
    const TlsSocket::Step step = tls_->read(static_cast<char*>(buffer.data()), buffer.size());
    if (!step.waits()) return done(code_of(step), step.bytes);
    await(step.state, [this, buffer, done = std::move(done)](const Code& code) mutable {
      if (code) return done(code, 0);
      read(buffer, std::move(done));
    });
  }

  // One record at a time: other clients run in between.
  void write(boost::asio::const_buffer buffer, Done done) {
    if (over(done)) return;
    const TlsSocket::Step step =
        tls_->write({static_cast<const char*>(buffer.data()), buffer.size()});
    if (!step.waits()) return done(code_of(step), step.bytes);
    await(step.state, [this, buffer, done = std::move(done)](const Code& code) mutable {
      if (code) return done(code, 0);
      write(buffer, std::move(done));
    });
  }

  template <class Then>
  void await(TlsSocket::Step::State wanted, Then then) {
    const bool writes = wanted == TlsSocket::Step::State::wants_write;
    socket_.async_wait(writes ? Socket::wait_write : Socket::wait_read, std::move(then));
  }

  static Code code_of(const TlsSocket::Step& step) {
    if (step.state == TlsSocket::Step::State::done) return {};
    if (step.state == TlsSocket::Step::State::ended) return boost::asio::error::eof;
    return boost::asio::error::connection_reset;
  }

  Socket socket_;
  std::unique_ptr<TlsSocket> tls_;  // destroyed before the socket
};

}  // namespace copse::server
