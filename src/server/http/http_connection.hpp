// SPDX-License-Identifier: Apache-2.0
//
// HttpConnection: an HTTP/1.1 client on a Unix or TCP socket; on TCP with TLS, if the service has a
// certificate. A handshake that fails or takes too long closes the connection. A half-open
// handshake takes about 50 KiB: if there are too many, a new one closes the oldest.
//
// A request is read, answered and sent before the next is read; pipelined requests wait in the
// socket. It is answered when it is the client's turn; a long one in several turns. Bodies of unauthenticated requests are not read. Each step has a timeout, after which the
// client is disconnected: slow and silent clients cost a descriptor until then.
//
// An event stream buffers at most 64 KiB. A client that reads more slowly than events arrive falls
// behind; when the next event is no longer kept, it gets an event "gone" and is disconnected.
//
// Memory: the header and body of one request, and its answer. All bodies together are bounded: a
// request beyond that gets 503.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "server/connections.hpp"
#include "server/http/events/event_log.hpp"
#include "server/http/request_fields.hpp"
#include "server/http/routes.hpp"
#include "server/tls/tls_server.hpp"

// Only http_connection.cpp includes Asio and Beast, which take long to compile.
namespace boost::asio {
class io_context;
}

namespace copse::server {

// State that all HTTP connections share.
struct HttpServerState {
  struct Limits {
    std::uint32_t header_bytes_max = 16u << 10;
    std::uint64_t body_bytes_max = 16u << 20;
    std::uint64_t bodies_bytes_max = 256u << 20;  // of all requests together
    std::chrono::milliseconds handshake{10'000};  // until TLS is established
    std::size_t handshakes_max = 1'000;           // half open; the oldest is closed first
    // Until the next request begins; for clients without credentials, until it is read.
    std::chrono::milliseconds idle{60'000}, stranger{10'000};
    std::chrono::milliseconds request{30'000};  // until it is complete
    std::chrono::milliseconds answer{30'000};   // until it is sent
    std::chrono::milliseconds alive{15'000};    // keep-alive comment of a stream without events
    std::chrono::milliseconds piece{500};       // interval of EventSource::next()
    std::size_t streams_max = 2'000;            // shared fairly (FairLimit)
  };

  Routes& routes;
  EventLog& events;
  std::function<Caller(std::string_view token)> authenticate_token{};
  std::function<void(std::chrono::steady_clock::duration took)> answered{};  // after each request
  const TlsServer* tls = nullptr;  // for TCP; nullptr: plain
  // The caller of a verified certificate with these names; unknown: Role::none.
  std::function<Caller(std::span<const std::string> names)> authenticate_certificate{};
  Limits limits{};
  HostNames hosts{};  // by which TCP ports without TLS may be asked
  FairLimit streams{limits.streams_max};
  std::uint64_t body_bytes = 0;                       // allocated to bodies
  std::uint64_t requests = 0;                         // number of generated request ids
  std::list<std::weak_ptr<Connection>> handshakes{};  // half open, oldest first
  std::uint64_t handshakes_failed = 0;

  // Adds a half-open handshake, and closes the oldest if there are too many.
  std::list<std::weak_ptr<Connection>>::iterator add_handshake(std::weak_ptr<Connection> made) {
    const auto out = handshakes.insert(handshakes.end(), std::move(made));
    if (handshakes.size() > limits.handshakes_max) {
      if (const auto oldest = handshakes.front().lock()) oldest->close();
    }
    return out;
  }
};

// Takes over an accepted socket. `caller`: the caller of requests without credentials; `peer`: the
// account of such requests.
[[nodiscard]] std::shared_ptr<Connection> make_http_connection(
    boost::asio::io_context& loop, int socket, int family, HttpServerState& shared,
    ConnectionHost& host, Connections& all, Caller caller, Account peer);

}  // namespace copse::server
