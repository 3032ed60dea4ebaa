// SPDX-License-Identifier: Apache-2.0
//
// HttpConnection: a client that speaks HTTP/1.1 on a socket, Unix or TCP. On TCP it speaks TLS, if the
// service has a certificate; a handshake that takes too long, or fails, ends it. One that is half open
// takes about 50 KiB: when there are too many, a new one ends the oldest.
//
// One request is read, answered and sent before the next is read: what a client sends ahead waits in
// its socket. A body is read only of who is known. Every step has its time; a client that
// needs longer is let go, so that slow and silent ones cost a descriptor for that time.
//
// A stream of events holds a piece of at most 64 KiB. A client that reads slower than events come
// falls behind, and is told so and let go when what it needs is not kept any more.
//
// Memory: the header and body of one request, and its answer. All bodies together are bounded: who
// comes when there is no room is to ask again (503).
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
#include "server/http/event_log.hpp"
#include "server/http/routes.hpp"
#include "server/tls/tls_server.hpp"

// Asio and Beast are in http_connection.cpp alone: they take long to compile.
namespace boost::asio {
class io_context;
}

namespace copse::server {

// What all of them share.
struct HttpShared {
  struct Limits {
    std::uint32_t header_bytes_max = 16u << 10;
    std::uint64_t body_bytes_max = 16u << 20;
    std::uint64_t bodies_bytes_max = 256u << 20;  // of all, at one time
    std::chrono::milliseconds handshake{10'000};  // until TLS is there
    std::size_t handshakes_max = 1'000;           // that are half open; the oldest goes first
    std::chrono::milliseconds idle{60'000};       // until the next request has begun
    std::chrono::milliseconds request{30'000};    // until all of it is there
    std::chrono::milliseconds answer{30'000};     // until all of its answer is taken
    std::chrono::milliseconds alive{15'000};      // a stream without an event says that it lives
    std::chrono::milliseconds piece{500};         // from one of PieceSource to the next
    std::size_t streams_max = 2'000;
  };

  Routes& routes;
  EventLog& events;
  std::function<Who(std::string_view token)> who_of_token{};
  std::function<void(std::chrono::steady_clock::duration took)> answered{};  // a request
  const TlsServer* tls = nullptr;  // of TCP; nullptr: it is not encrypted
  // By the names in a certificate that was found good; nobody's: Role::nobody.
  std::function<Who(std::span<const std::string> names)> who_of_certificate{};
  Limits limits{};
  std::uint64_t body_bytes = 0;  // that are taken, or promised
  std::uint64_t requests = 0;    // that had no name of their own got this as one
  std::size_t streams = 0;
  std::list<std::weak_ptr<Connection>> handshakes{};  // that are half open, the oldest first
  std::uint64_t handshakes_failed = 0;
};

// Takes a socket of any family that somebody has accepted. `who`: who asks without a token.
[[nodiscard]] std::shared_ptr<Connection> make_http_connection(boost::asio::io_context& loop,
                                                               int socket, int family,
                                                               HttpShared& shared,
                                                               ConnectionHost& host,
                                                               Connections& all, Who who);

}  // namespace copse::server
