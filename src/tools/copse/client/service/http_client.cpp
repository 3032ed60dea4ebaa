// SPDX-License-Identifier: Apache-2.0
#include <utility>  // before Beast 1.74, which uses std::exchange

#include "tools/copse/client/service/http_client.hpp"

#include <fmt/format.h>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "text/tree/json_tree.hpp"
#include "tools/copse/client/service/service_socket.hpp"

namespace copse {

namespace {

namespace http = boost::beast::http;
using Received = ServiceSocket::Received;
using Parser = http::response_parser<http::string_body>;

constexpr int kAnswerSeconds = 120;
constexpr std::uint32_t kHeaderBytesMax = 64u << 10;
constexpr std::uint64_t kAnswerBytesMax = std::uint64_t{256} << 20;
constexpr std::size_t kLineBytesMax = std::size_t{64} << 20;
constexpr std::size_t kPiece = std::size_t{64} << 10;

std::string request_text(const ServiceAddress& address, std::string_view method,
                         std::string_view target, std::string_view body) {
  std::string out = fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: copse\r\nConnection: close\r\n", method, target,
      address.path.empty() ? address.name.substr(address.name.find("//") + 2) : "copse");
  if (!address.token.empty()) out += fmt::format("Authorization: Bearer {}\r\n", address.token);
  if (!body.empty() || method != "GET") out += fmt::format("Content-Length: {}\r\n", body.size());
  out += "\r\n";
  out += body;
  return out;
}

// A connection, and the part of the answer that was read.
class Exchange {
 public:
  Exchange(ServiceSocket socket, const ServiceAddress& address)
      : socket_(std::move(socket)), name_(address.name) {
    parser_.header_limit(kHeaderBytesMax);
    parser_.eager(true);
  }

  [[nodiscard]] Result<void> ask(std::string_view text, std::uint64_t answer_bytes_max) {
    parser_.body_limit(answer_bytes_max);
    socket_.wait_at_most(kAnswerSeconds);
    if (!socket_.send(text)) return connection_lost();
    while (!parser_.is_header_done()) {
      if (auto ok = read_some(); !ok) return ok;
    }
    return {};
  }
  [[nodiscard]] Result<void> read_rest() {
    while (!parser_.is_done()) {
      if (auto ok = read_some(); !ok) return ok;
    }
    return {};
  }
  // Reads a piece of the answer or its end; possibly nothing yet.
  [[nodiscard]] Result<void> read_some() {
    if (pending_.size() > kHeaderBytesMax + kPiece) return no_http("its header is too long");
    const std::size_t had = pending_.size();
    pending_.resize(had + kPiece);
    const Received got = socket_.receive(pending_.data() + had, kPiece);
    pending_.resize(had + got.bytes);
    if (got.state == Received::State::too_late) {
      return fail(ErrorCode::io,
                  fmt::format("the service at {} does not answer: no data for {} seconds", name_,
                              kAnswerSeconds));
    }
    if (got.state == Received::State::nothing) return {};
    if (got.state == Received::State::lost) return connection_lost(got.why);
    boost::system::error_code code;
    if (got.state == Received::State::ended) {
      if (!parser_.is_header_done()) return connection_lost();
      parser_.put_eof(code);
      return code ? connection_lost() : Result<void>();
    }
    while (!pending_.empty() && !parser_.is_done() && !code) {
      const std::size_t used = parser_.put(boost::asio::buffer(pending_), code);
      pending_.erase(0, used);
      if (used == 0) break;
    }
    if (code && code != http::error::need_more) return no_http(code.message());
    return {};
  }

  [[nodiscard]] bool done() const { return parser_.is_done(); }
  [[nodiscard]] unsigned status() const { return parser_.get().result_int(); }
  [[nodiscard]] std::string& body() { return parser_.get().body(); }
  [[nodiscard]] ServiceSocket& socket() { return socket_; }
  [[nodiscard]] const ServiceSocket& socket() const { return socket_; }
  [[nodiscard]] std::unexpected<Error> connection_lost(const std::string& why = {}) const {
    if (!why.empty()) {
      return fail(ErrorCode::io,
                  fmt::format("the service at {} refuses TLS with this client: {}", name_, why));
    }
    return fail(ErrorCode::io, fmt::format("the service at {} closed the connection before an "
                                           "answer: the request may have been executed",
                                           name_));
  }

 private:
  [[nodiscard]] std::unexpected<Error> no_http(const std::string& why) const {
    return fail(ErrorCode::io,
                fmt::format("the program at {} does not answer like a service: {}", name_, why));
  }

  ServiceSocket socket_;
  std::string name_;
  Parser parser_;
  std::string pending_;
};

}  // namespace

Result<HttpReply> ask_http(const ServiceAddress& address, std::string_view method,
                           std::string_view target, std::string_view body) {
  auto socket = ServiceSocket::connect(address);
  if (!socket) return std::unexpected(socket.error());
  Exchange exchange(std::move(*socket), address);
  auto read = exchange.ask(request_text(address, method, target, body), kAnswerBytesMax);
  if (read) read = exchange.read_rest();
  if (!read) return std::unexpected(read.error());
  return HttpReply{exchange.status(), std::move(exchange.body())};
}

Error error_of(const ServiceAddress& address, const HttpReply& reply) {
  if (reply.status == 401) {
    return {ErrorCode::io,
            address.token.empty()
                ? fmt::format("the service at {} requires a token: set COPSE_TOKEN, or give "
                              "--token-file (copse token add makes one)",
                              address.name)
                : fmt::format("the service at {} rejects this token: copse token add makes "
                              "another",
                              address.name),
            {}};
  }
  std::string detail;
  if (const auto tree = read_json_object(reply.body)) {
    const TreeView top(*tree);
    detail = top.word("detail");
    if (detail.empty()) detail = top.word("message");
  }
  if (detail.empty()) detail = "it gives no reason";
  return {ErrorCode::io,
          fmt::format("the service at {} refuses ({}): {}", address.name, reply.status, detail),
          {}};
}

// --- EventStream

struct EventStream::Impl {
  Exchange exchange;
  ServiceAddress address;
  Event event{};       // the begun event
  std::string tail{};  // the begun line

  void take_line(std::string_view line, std::vector<Event>& out) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) {
      if (!event.kind.empty() || !event.lines.empty()) out.push_back(std::exchange(event, {}));
    } else if (line.starts_with("event: ")) {
      event.kind = line.substr(7);
    } else if (line.starts_with("data: ")) {
      event.lines.emplace_back(line.substr(6));
    }
  }
  // Takes the events that the body has so far.
  Result<std::vector<Event>> take_body() {
    std::vector<Event> out;
    tail += std::exchange(exchange.body(), {});
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = tail.find('\n', begin)) != std::string::npos;) {
      take_line(std::string_view(tail).substr(begin, end - begin), out);
      begin = end + 1;
    }
    tail.erase(0, begin);
    if (tail.size() > kLineBytesMax) {
      return fail(ErrorCode::limit, fmt::format("a line of events of {} has more than {} bytes",
                                                address.name, kLineBytesMax));
    }
    return out;
  }
};

EventStream::EventStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
EventStream::EventStream(EventStream&& other) noexcept = default;
EventStream& EventStream::operator=(EventStream&& other) noexcept = default;
EventStream::~EventStream() = default;

Result<EventStream> EventStream::open(const ServiceAddress& address) {
  auto socket = ServiceSocket::connect(address);
  if (!socket) return std::unexpected(socket.error());
  auto impl = std::unique_ptr<Impl>(new Impl{Exchange(std::move(*socket), address), address});
  constexpr std::uint64_t kEndless = UINT64_MAX;
  auto sent = impl->exchange.ask(request_text(address, "GET", "/v1/events", {}), kEndless);
  if (!sent) return std::unexpected(sent.error());
  if (impl->exchange.status() != 200) {
    if (auto rest = impl->exchange.read_rest(); !rest) return std::unexpected(rest.error());
    return std::unexpected(
        error_of(address, {impl->exchange.status(), std::move(impl->exchange.body())}));
  }
  impl->exchange.socket().wait_at_most(0);
  return EventStream(std::move(impl));
}

int EventStream::descriptor() const { return impl_->exchange.socket().descriptor(); }

bool EventStream::has_pending() const { return !impl_->exchange.body().empty(); }

Result<std::vector<EventStream::Event>> EventStream::take() {
  if (impl_->exchange.body().empty()) {
    if (!impl_->exchange.done()) {
      if (auto read = impl_->exchange.read_some(); !read) return std::unexpected(read.error());
    }
    if (impl_->exchange.done() && impl_->exchange.body().empty()) {
      return fail(ErrorCode::io,
                  fmt::format("the service at {} has ended: start it, and repeat the request",
                              impl_->address.name));
    }
  }
  return impl_->take_body();
}

}  // namespace copse
