// SPDX-License-Identifier: Apache-2.0
#include <utility>  // before Asio 1.74, which uses std::exchange

#include "server/http/http_connection.hpp"

#include <sys/socket.h>

#include <optional>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>

#include "server/http/beast_message.hpp"
#include "server/http/client_stream.hpp"
#include "server/http/events/event_stream_writer.hpp"
#include "server/http/problem.hpp"
#include "server/http/response_head.hpp"

namespace copse::server {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Code = boost::system::error_code;

constexpr std::chrono::milliseconds kLinger{2'000};
constexpr std::size_t kReadAhead = std::size_t{64} << 10;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

class HttpConnection final : public Connection {
 public:
  using Parser = http::request_parser<http::string_body>;

  HttpConnection(ClientStream socket, HttpServerState& shared, ConnectionHost& host,
                 Connections& all, Caller caller, Account peer, bool is_unix)
      : Connection(peer),
        socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        shared_(shared),
        host_(host),
        all_(all),
        socket_caller_(std::move(caller)),
        peer_(std::move(peer)),
        buffer_(shared.limits.header_bytes_max + kReadAhead),
        is_unix_(is_unix) {}
  ~HttpConnection() override {
    (void)end_handshake();
    shared_.body_bytes -= body_bytes_;
  }

  void start() override {
    if (!socket_.is_tls()) return read();
    state_ = State::tls;
    handshake_ = shared_.add_handshake(weak_from_this());
    set_timeout(shared_.limits.handshake);
    socket_.handshake([self = self()](const TlsSocket::Step& step) { self->handshake_done(step); });
  }
  void stop_listening() override {
    stopping_ = true;
    if (state_ == State::tls || state_ == State::idle || state_ == State::streaming) close();
  }
  void flush() override {
    if (state_ == State::waiting && answer_.needs <= host_.durable()) return send();
    if (state_ == State::streaming && sending_.empty()) continue_stream();
  }
  bool work(queue::WorkBudget budget) override {
    if (state_ == State::ready) {
      state_ = State::answering;
      answer_ = shared_.routes.begin(request(), host_.now_s());
    } else if (state_ != State::answering) {
      return false;
    }
    while (answer_.work != nullptr) {
      const std::shared_ptr<ResponseWork> work = answer_.work;  // it may replace the answer
      if (work->step(answer_, host_.now_s())) answer_.work = nullptr;
      if (answer_.work != nullptr && budget.spend()) return true;
    }
    answered();
    return false;
  }
  void close() override {
    if (end_handshake()) ++shared_.handshakes_failed;
    timer_.cancel();
    stream_place_.release();
    socket_.close();
    state_ = State::closed;
    all_.remove(shared_from_this());
  }

 private:
  // tls: handshake; idle: until the next request; ready: until the client's turn; answering: in
  // several turns; waiting: the records of the answer are not on disk yet; streaming: events.
  enum class State : std::uint8_t {
    tls,
    idle,
    reading,
    ready,
    answering,
    waiting,
    sending,
    streaming,
    closed
  };

  [[nodiscard]] std::shared_ptr<HttpConnection> self() {
    return std::static_pointer_cast<HttpConnection>(shared_from_this());
  }

  // Calls `then` unless the timer is set again or the connection is closed before.
  template <class Then>
  void after(std::chrono::milliseconds time, Then then) {
    timer_.expires_after(time);
    timer_.async_wait([weak = std::weak_ptr<HttpConnection>(self()), then](const Code& code) {
      const auto self = weak.lock();
      if (!code && self != nullptr && self->state_ != State::closed) then(*self);
    });
  }
  void set_timeout(std::chrono::milliseconds time) {
    after(time, [](HttpConnection& self) { self.close(); });
  }

  // False: no handshake was in progress.
  bool end_handshake() {
    if (!handshake_) return false;
    shared_.handshakes.erase(*std::exchange(handshake_, std::nullopt));
    return true;
  }

  void handshake_done(const TlsSocket::Step& step) {
    if (state_ == State::closed) return;
    (void)end_handshake();
    if (step.state == TlsSocket::Step::State::done) {
      certificate_names_ = socket_.tls().peer_names();
      return read();
    }
    ++shared_.handshakes_failed;
    if (step.is_not_tls) socket_.write_plain(tls_required_response());
    close_gracefully();
  }

  void read() {
    if (stopping_) return close();
    state_ = State::idle;
    parser_.emplace();
    shared_.body_bytes -= body_bytes_;
    if (std::exchange(body_bytes_, 0) > kReadAhead / 4) buffer_.shrink_to_fit();
    parser_->header_limit(shared_.limits.header_bytes_max);
    parser_->body_limit(shared_.limits.body_bytes_max);
    answer_ = {};
    set_timeout(is_stranger_ ? shared_.limits.stranger : shared_.limits.idle);
    http::async_read_header(socket_, buffer_, *parser_,
                            [self = self()](const Code& code, std::size_t) {
                              if (self->state_ != State::closed) self->got_header(code);
                            });
  }

  void got_header(const Code& code) {
    if (code) return read_failed(code);
    state_ = State::reading;
    keep_open_ = parser_->keep_alive() && !stopping_;
    if (auto refused = refused_fields()) return refuse(std::move(*refused));
    authenticate();
    // Bodies of unauthenticated requests are not read; the connection is closed.
    if (parser_->is_done()) return answer();
    if (auto refused = shared_.routes.check_before_body(request(), host_.now_s())) {
      return refuse(std::move(*refused));
    }
    if (!allocate_body()) {
      return refuse(problem(Problem::busy, "too many request bodies are being read: try again"));
    }
    set_timeout(shared_.limits.request);
    // Beast reads as much as the buffer can take without growing: 512 bytes, if that is little.
    if (body_bytes_ > kReadAhead / 4) buffer_.reserve(kReadAhead);
    if (parser_->get()[http::field::expect] == "100-continue") {
      sending_ = kContinue;
      asio::async_write(socket_, asio::buffer(sending_),
                        [self = self()](const Code& failed, std::size_t) {
                          self->sending_.clear();
                          if (self->state_ == State::closed) return;
                          if (failed) return self->close();
                          self->read_body();
                        });
      return;
    }
    read_body();
  }

  void refuse(HttpResponse answer) {
    keep_open_ = false;
    answer_ = std::move(answer);
    send();
  }

  // Allocates the Content-Length of a body, or the limit, before it is read.
  bool allocate_body() {
    const auto length = parser_->content_length();
    const std::uint64_t wanted = length ? *length : shared_.limits.body_bytes_max;
    if (wanted > shared_.limits.bodies_bytes_max - shared_.body_bytes) return false;
    shared_.body_bytes += body_bytes_ = wanted;
    return true;
  }

  void read_body() {
    http::async_read(socket_, buffer_, *parser_, [self = self()](const Code& code, std::size_t) {
      if (self->state_ == State::closed) return;
      if (code) return self->read_failed(code);
      self->answer();
    });
  }

  // Any name is allowed where no web page can ask, and where a certificate has the name.
  [[nodiscard]] std::optional<HttpResponse> refused_fields() const {
    const bool any_host = socket_.is_tls() || is_unix_;
    return check_fields(fields_of(parser_->get()), parser_->get().version() < 11,
                        any_host ? nullptr : &shared_.hosts);
  }

  // Sets the caller, its account, and the request id.
  void authenticate() {
    const auto& fields = parser_->get();
    caller_ = certificate_caller();
    const std::string_view given = view(fields[http::field::authorization]);
    if (!given.empty()) {
      const auto token = bearer_token(given);
      caller_ = token ? shared_.authenticate_token(*token) : Caller{};
    }
    if (caller_.role != Role::none) {
      is_stranger_ = false;
      const bool named = caller_.name != socket_caller_.name;
      set_account(named ? account_of(caller_) : peer_);
    }
    const std::string_view name = view(fields["X-Request-Id"]);
    caller_.request_id =
        is_request_id(name) ? std::string(name) : fmt::format("r{}", ++shared_.requests);
  }

  // Looked up for each request, because rows of the table may be removed.
  [[nodiscard]] Caller certificate_caller() const {
    if (certificate_names_.empty() || !shared_.authenticate_certificate) return socket_caller_;
    Caller out = shared_.authenticate_certificate(certificate_names_);
    return out.role == Role::none ? socket_caller_ : out;
  }

  [[nodiscard]] HttpRequest request() const { return request_of(parser_->get(), caller_); }

  void answer() {
    state_ = State::ready;
    timer_.cancel();
    asked_ = std::chrono::steady_clock::now();
    host_.add_turn(self());
  }

  void answered() {
    if (shared_.answered) shared_.answered(std::chrono::steady_clock::now() - asked_);
    if (answer_.events_from || answer_.event_source) return begin_stream();
    if (answer_.needs <= host_.durable()) return send();
    state_ = State::waiting;
    all_.wait(answer_.needs, weak_from_this());
    all_.set_buffered_bytes(*this, answer_.body.size());
  }

  void read_failed(const Code& code) {
    auto answer = read_problem(code, {.header_bytes_max = shared_.limits.header_bytes_max,
                                      .body_bytes_max = shared_.limits.body_bytes_max});
    if (!answer) return close();
    refuse(std::move(*answer));
  }

  void send() {
    state_ = State::sending;
    keep_open_ = keep_open_ && !stopping_;
    set_timeout(shared_.limits.answer);
    append_head(sending_, answer_, reason_of(answer_.status), caller_.request_id);
    const bool bodyless = answer_.status == 304;
    if (!bodyless) sending_ += fmt::format("Content-Length: {}\r\n", answer_.body.size());
    if (!keep_open_) sending_ += "Connection: close\r\n";
    sending_ += "\r\n";
    const bool head = parser_->is_header_done() && parser_->get().method() == http::verb::head;
    if (!head && !bodyless) sending_ += answer_.body;
    answer_.body = {};
    asio::async_write(socket_, asio::buffer(sending_),
                      [self = self()](const Code& code, std::size_t) {
                        if (self->state_ == State::closed) return;
                        self->sending_ = {};
                        self->all_.set_buffered_bytes(*self, 0);
                        if (code) return self->close();
                        if (!self->keep_open_) return self->close_gracefully();
                        self->read();
                      });
    all_.set_buffered_bytes(*this, sending_.size());
  }

  // Lingering close (RFC 9112, 9.6): the client could lose the answer if it is still sending when the
  // socket is closed, so its input is discarded for a moment.
  void close_gracefully() {
    socket_.shutdown_send();
    state_ = State::idle;
    set_timeout(kLinger);
    discard_input();
  }
  void discard_input() {
    socket_.async_discard_some(asio::buffer(all_.buffer()),
                               [self = self()](const Code& code, std::size_t) {
                                 if (self->state_ == State::closed) return;
                                 if (code || self->stopping_) return self->close();
                                 self->discard_input();
                               });
  }

  void begin_stream() {
    const HttpServerState::Limits& limits = shared_.limits;
    stream_place_ = shared_.streams.take({.account = account(), .close = [this] { close(); }});
    if (!stream_place_.taken()) {
      return refuse(
          problem(Problem::insufficient,
                  fmt::format("the limit of {} event streams is reached", limits.streams_max)));
    }
    keep_open_ = false;
    stream_.emplace(shared_.events,
                    EventStreamWriter::Timing{
                        .keep_alive = limits.alive, .poll = limits.piece, .commit = limits.answer},
                    answer_.events_from, answer_.event_source, answer_.reduce_events);
    state_ = State::streaming;
    append_head(sending_, answer_, reason_of(answer_.status), caller_.request_id);
    sending_ += "Connection: close\r\n\r\n";
    if (answer_.events_from) sending_ += ": events are records of the journal\n\n";
    send_piece();
  }

  void continue_stream() { follow(stream_->next(host_.durable(), sending_)); }

  void follow(const EventStreamWriter::Next& next) {
    if (next.close) return close();
    if (next.wait_for) all_.wait(*next.wait_for, weak_from_this());
    if (!sending_.empty()) return send_piece();
    after(next.timeout, [](HttpConnection& self) {
      if (self.state_ != State::streaming || !self.sending_.empty()) return;
      self.follow(self.stream_->timed_out(self.host_.durable(), self.sending_));
    });
  }

  void send_piece() {
    set_timeout(shared_.limits.answer);
    asio::async_write(socket_, asio::buffer(sending_),
                      [self = self()](const Code& code, std::size_t) {
                        if (self->state_ == State::closed) return;
                        self->sending_.clear();
                        if (code || self->stream_->fell_behind() || self->stopping_)
                          return self->close();
                        self->continue_stream();
                      });
  }

  ClientStream socket_;
  asio::steady_timer timer_;
  HttpServerState& shared_;
  ConnectionHost& host_;
  Connections& all_;
  Caller socket_caller_, caller_{};
  Account peer_;
  std::vector<std::string> certificate_names_{};
  std::optional<std::list<std::weak_ptr<Connection>>::iterator>
      handshake_{};  // in HttpServerState::handshakes
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_{};
  HttpResponse answer_{};
  std::string sending_{};
  std::optional<EventStreamWriter> stream_{};
  FairLimit::Permit stream_place_{};
  std::chrono::steady_clock::time_point asked_{};
  std::uint64_t body_bytes_ = 0;  // allocated in HttpServerState::body_bytes
  State state_ = State::idle;
  bool keep_open_ = true, stopping_ = false, is_unix_, is_stranger_ = true;
};

}  // namespace

std::shared_ptr<Connection> make_http_connection(asio::io_context& loop, int socket, int family,
                                                 HttpServerState& shared, ConnectionHost& host,
                                                 Connections& all, Caller caller, Account peer) {
  ClientStream::Socket made(loop);
  Code ignored;
  (void)made.assign({family, 0}, socket, ignored);
  (void)made.non_blocking(true, ignored);
  const bool secret = shared.tls != nullptr && family != AF_UNIX;
  ClientStream stream(std::move(made), secret ? shared.tls->accept(socket) : nullptr);
  return std::make_shared<HttpConnection>(std::move(stream), shared, host, all, std::move(caller),
                                          std::move(peer), family == AF_UNIX);
}

}  // namespace copse::server
