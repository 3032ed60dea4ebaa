// SPDX-License-Identifier: Apache-2.0
#include <utility>  // before Asio 1.74, which uses std::exchange

#include "server/http/http_connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>

#include "server/http/client_stream.hpp"
#include "server/http/problem.hpp"
#include "server/http/response_head.hpp"

namespace copse::server {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Code = boost::system::error_code;

constexpr std::size_t kStreamPiece = std::size_t{64} << 10;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// To who speaks HTTP where TLS is spoken.
constexpr std::string_view kTlsOnly =
    R"({"type": "urn:copse:problem:invalid", "title": "invalid", "status": 400, )"
    R"("detail": "this port speaks TLS: ask https://"})";

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

class HttpConnection final : public Connection {
 public:
  using Parser = http::request_parser<http::string_body>;

  HttpConnection(ClientStream socket, HttpShared& shared, ConnectionHost& host, Connections& all,
                 Who who)
      : socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        shared_(shared),
        host_(host),
        all_(all),
        who_(std::move(who)),
        buffer_(shared.limits.header_bytes_max + kStreamPiece) {}
  ~HttpConnection() override {
    (void)end_handshake();
    if (streams_) --shared_.streams;
    shared_.body_bytes -= body_bytes_;
  }

  void start() override {
    if (!socket_.is_tls()) return read();
    state_ = State::greets;
    auto& half_open = shared_.handshakes;
    handshake_ = half_open.insert(half_open.end(), weak_from_this());
    if (half_open.size() > shared_.limits.handshakes_max) {
      if (const auto oldest = half_open.front().lock()) oldest->close();
    }
    within(shared_.limits.handshake);
    socket_.handshake([self = self()](const TlsSocket::Step& step) { self->greeted(step); });
  }
  void stop_listening() override {
    told_to_stop_ = true;
    if (state_ == State::greets || state_ == State::listens || state_ == State::streams) close();
  }
  void flush() override {
    if (state_ == State::waits && answer_.needs <= host_.durable()) return send();
    if (state_ == State::streams && sending_.empty()) go_on();
  }
  void resume() override {
    if (state_ == State::paused) answer();
  }
  void close() override {
    if (end_handshake()) ++shared_.handshakes_failed;
    timer_.cancel();
    socket_.close();
    state_ = State::closed;
    all_.remove(shared_from_this());
  }

 private:
  // greets: by TLS; listens: for a request; reads: the rest of one; paused: has one, the server is busy;
  // waits: for the disk; sends: an answer; streams: events.
  enum class State : std::uint8_t { greets, listens, reads, paused, waits, sends, streams, closed };

  [[nodiscard]] std::shared_ptr<HttpConnection> self() {
    return std::static_pointer_cast<HttpConnection>(shared_from_this());
  }

  void within(std::chrono::milliseconds time) {
    timer_.expires_after(time);
    timer_.async_wait([weak = std::weak_ptr<HttpConnection>(self())](const Code& code) {
      const auto self = weak.lock();
      if (!code && self != nullptr && self->state_ != State::closed) self->close();
    });
  }

  // False: there was none.
  bool end_handshake() {
    if (!handshake_) return false;
    shared_.handshakes.erase(*std::exchange(handshake_, std::nullopt));
    return true;
  }

  void greeted(const TlsSocket::Step& step) {
    if (state_ == State::closed) return;
    (void)end_handshake();
    if (step.state == TlsSocket::Step::State::done) {
      certificate_names_ = socket_.tls().peer_names();
      return read();
    }
    ++shared_.handshakes_failed;
    if (step.is_no_tls) {
      socket_.tell_plainly(fmt::format(
          "HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nConnection: "
          "close\r\nContent-Length: {}\r\n\r\n{}",
          kTlsOnly.size(), kTlsOnly));
    }
    let_go();
  }

  void read() {
    if (told_to_stop_) return close();
    state_ = State::listens;
    parser_.emplace();
    shared_.body_bytes -= std::exchange(body_bytes_, 0);
    parser_->header_limit(shared_.limits.header_bytes_max);
    parser_->body_limit(shared_.limits.body_bytes_max);
    answer_ = {};
    within(shared_.limits.idle);
    http::async_read_header(socket_, buffer_, *parser_,
                            [self = self()](const Code& code, std::size_t) {
                              if (self->state_ != State::closed) self->got_header(code);
                            });
  }

  void got_header(const Code& code) {
    if (code) return broken(code);
    state_ = State::reads;
    keep_open_ = parser_->keep_alive() && !told_to_stop_;
    identify();
    // Of who is not known nobody reads a body: what comes next on this socket is no request.
    if (parser_->is_done()) return answer();
    if (auto refused = shared_.routes.refuse_early(request(), host_.now_s())) {
      keep_open_ = false;
      answer_ = std::move(*refused);
      return send();
    }
    if (!take_room()) {
      keep_open_ = false;
      answer_ = problem(Problem::busy, "too many bodies are being read at this time: ask again");
      answer_.fields.emplace_back("Retry-After", "1");
      return send();
    }
    within(shared_.limits.request);
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

  // A body has its share before it comes: as much as it says that it has, or may have.
  bool take_room() {
    const auto length = parser_->content_length();
    const std::uint64_t wanted = length ? *length : shared_.limits.body_bytes_max;
    if (wanted > shared_.limits.bodies_bytes_max - shared_.body_bytes) return false;
    shared_.body_bytes += body_bytes_ = wanted;
    return true;
  }

  void read_body() {
    http::async_read(socket_, buffer_, *parser_, [self = self()](const Code& code, std::size_t) {
      if (self->state_ == State::closed) return;
      if (code) return self->broken(code);
      self->answer();
    });
  }

  // Who asks, and what the request is called.
  void identify() {
    const auto& fields = parser_->get();
    asking_ = known_by_certificate();
    std::string_view given = view(fields[http::field::authorization]);
    constexpr std::string_view kBearer = "Bearer ";
    if (!given.empty()) {
      asking_ =
          given.starts_with(kBearer) ? shared_.who_of_token(given.substr(kBearer.size())) : Who{};
    }
    const std::string_view name = view(fields["X-Request-Id"]);
    asking_.request =
        is_request_name(name) ? std::string(name) : fmt::format("r{}", ++shared_.requests);
  }

  // Each time anew: a row of the table that is taken away does not count any more.
  [[nodiscard]] Who known_by_certificate() const {
    if (certificate_names_.empty() || !shared_.who_of_certificate) return who_;
    Who out = shared_.who_of_certificate(certificate_names_);
    return out.role == Role::nobody ? who_ : out;
  }

  [[nodiscard]] HttpRequest request() const {
    const auto& message = parser_->get();
    return {.method = view(message.method_string()),
            .target = view(message.target()),
            .body = message.body(),
            .if_none_match = view(message[http::field::if_none_match]),
            .if_match = view(message[http::field::if_match]),
            .last_event_id = view(message["Last-Event-ID"]),
            .idempotency_key = view(message["Idempotency-Key"]),
            .accept_encoding = view(message[http::field::accept_encoding]),
            .who = asking_};
  }

  void answer() {
    if (host_.busy()) {
      state_ = State::paused;
      timer_.cancel();
      return all_.pause(weak_from_this());
    }
    const auto began = std::chrono::steady_clock::now();
    answer_ = shared_.routes.answer(request(), host_.now_s());
    if (shared_.answered) shared_.answered(std::chrono::steady_clock::now() - began);
    host_.served();
    if (answer_.events_from || answer_.pieces) return begin_stream();
    if (answer_.needs <= host_.durable()) return send();
    state_ = State::waits;
    timer_.cancel();
    all_.wait(answer_.needs, weak_from_this());
    all_.holds(*this, answer_.body.size());
  }

  void broken(const Code& code) {
    keep_open_ = false;
    if (code == http::error::header_limit) {
      answer_ = problem(Problem::header, fmt::format("a header has at most {} bytes",
                                                     shared_.limits.header_bytes_max));
    } else if (code == http::error::body_limit) {
      answer_ = problem(Problem::too_large,
                        fmt::format("a body has at most {} bytes", shared_.limits.body_bytes_max));
    } else if (code.category() == http::make_error_code(http::error::bad_method).category() &&
               code != http::error::end_of_stream && code != http::error::partial_message) {
      answer_ = problem(Problem::invalid, "this is not HTTP/1.1: " + code.message());
    } else {
      return close();
    }
    send();
  }

  void append_head(std::string& out) const {
    const auto reason = http::obsolete_reason(http::int_to_status(answer_.status));
    server::append_head(out, answer_, view(reason), asking_.request);
  }

  void send() {
    state_ = State::sends;
    keep_open_ = keep_open_ && !told_to_stop_;
    within(shared_.limits.answer);
    append_head(sending_);
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
                        self->all_.holds(*self, 0);
                        if (code) return self->close();
                        if (!self->keep_open_) return self->let_go();
                        self->read();
                      });
    all_.holds(*this, sending_.size());
  }

  // Its answer may be lost if it is still sending when the socket is closed (RFC 9112, 9.6): what it
  // sends is thrown away for a moment.
  void let_go() {
    socket_.shutdown_send();
    state_ = State::listens;
    within(std::chrono::milliseconds(2'000));
    drop();
  }
  void drop() {
    socket_.async_drop_some(asio::buffer(all_.buffer()),
                            [self = self()](const Code& code, std::size_t) {
                              if (self->state_ == State::closed) return;
                              if (code || self->told_to_stop_) return self->close();
                              self->drop();
                            });
  }

  void begin_stream() {
    keep_open_ = false;
    if (shared_.streams >= shared_.limits.streams_max) {
      answer_ = problem(Problem::insufficient,
                        fmt::format("there are {} streams of events, as many as may be",
                                    shared_.limits.streams_max));
      return send();
    }
    ++shared_.streams;
    streams_ = true;
    events_next_ = answer_.events_from;
    state_ = State::streams;
    append_head(sending_);
    sending_ += "Connection: close\r\n\r\n";
    if (events_next_) sending_ += ": events are records of the journal\n\n";
    send_piece();
  }

  void go_on() { return answer_.pieces == nullptr ? pump() : pump_pieces(); }

  // A piece is made when its time has come, and leaves when what it tells of is on disk.
  void pump_pieces() {
    if (!piece_.empty() && piece_needs_ <= host_.durable()) {
      sending_ = std::exchange(piece_, {});
      return send_piece();
    }
    timer_.expires_after(piece_.empty() ? shared_.limits.piece : shared_.limits.answer);
    timer_.async_wait([weak = std::weak_ptr<HttpConnection>(self())](const Code& code) {
      const auto self = weak.lock();
      if (code || self == nullptr || self->state_ != State::streams) return;
      self->make_piece();
    });
  }

  void make_piece() {
    if (!piece_.empty()) return close();  // the disk took too long
    piece_needs_ = answer_.pieces->next(piece_);
    silent_ = piece_.empty() ? silent_ + shared_.limits.piece : std::chrono::milliseconds(0);
    if (piece_.empty() && silent_ >= shared_.limits.alive) {
      silent_ = {};
      piece_ = ": alive\n\n";
      piece_needs_ = 0;
    }
    if (!piece_.empty() && piece_needs_ > host_.durable()) {
      all_.wait(piece_needs_, weak_from_this());
    }
    pump_pieces();
  }

  void pump() {
    journal::Sequence& next = *events_next_;
    if (next < shared_.events.first()) {
      sending_ += fmt::format("event: gone\ndata: {{\"first\": {}}}\n\n", shared_.events.first());
      fell_behind_ = true;
      return send_piece();
    }
    const journal::Sequence end = std::min(host_.durable(), shared_.events.next());
    for (; next < end && sending_.size() < kStreamPiece; ++next) {
      sending_ += fmt::format("id: {}\n", next);
      append_data(next);
      sending_ += '\n';
    }
    if (!sending_.empty()) return send_piece();
    if (awaited_ != next + 1) all_.wait(awaited_ = next + 1, weak_from_this());
    timer_.expires_after(shared_.limits.alive);
    timer_.async_wait([weak = std::weak_ptr<HttpConnection>(self())](const Code& code) {
      const auto self = weak.lock();
      if (code || self == nullptr || self->state_ != State::streams) return;
      if (!self->sending_.empty()) return;
      self->sending_ = ": alive\n\n";
      self->send_piece();
    });
  }

  // An effect a line; an event may have several.
  void append_data(journal::Sequence number) {
    std::string lines;
    shared_.events.append(number, lines);
    for (std::string_view rest = lines; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      sending_ += "data: ";
      sending_ += rest.substr(0, end + 1);
      rest.remove_prefix(end + 1);
    }
  }

  void send_piece() {
    within(shared_.limits.answer);
    asio::async_write(socket_, asio::buffer(sending_),
                      [self = self()](const Code& code, std::size_t) {
                        if (self->state_ == State::closed) return;
                        self->sending_.clear();
                        if (code || self->fell_behind_ || self->told_to_stop_) return self->close();
                        self->go_on();
                      });
  }

  ClientStream socket_;
  asio::steady_timer timer_;
  HttpShared& shared_;
  ConnectionHost& host_;
  Connections& all_;
  Who who_, asking_{};
  std::vector<std::string> certificate_names_{};
  std::optional<std::list<std::weak_ptr<Connection>>::iterator> handshake_{};  // that is half open
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_{};
  HttpResponse answer_{};
  std::string sending_{};
  std::optional<journal::Sequence> events_next_{};
  std::uint64_t body_bytes_ = 0;   // its share of HttpShared::body_bytes
  journal::Sequence awaited_ = 0;  // Connections::wait() was told so of a stream; 0: no
  State state_ = State::listens;
  std::string piece_{};  // of a stream of pieces: made, and not sent yet
  journal::Sequence piece_needs_ = 0;
  std::chrono::milliseconds silent_{};
  bool keep_open_ = true, told_to_stop_ = false, fell_behind_ = false, streams_ = false;
};

}  // namespace

std::shared_ptr<Connection> make_http_connection(asio::io_context& loop, int socket, int family,
                                                 HttpShared& shared, ConnectionHost& host,
                                                 Connections& all, Who who) {
  ClientStream::Socket made(loop);
  Code ignored;
  (void)made.assign({family, 0}, socket, ignored);
  (void)made.non_blocking(true, ignored);
  const bool secret = shared.tls != nullptr && family != AF_UNIX;
  ClientStream stream(std::move(made), secret ? shared.tls->accept(socket) : nullptr);
  return std::make_shared<HttpConnection>(std::move(stream), shared, host, all, std::move(who));
}

}  // namespace copse::server
