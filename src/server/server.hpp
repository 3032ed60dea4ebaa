// SPDX-License-Identifier: Apache-2.0
//
// Server: a service on Unix sockets and TCP ports. One thread runs everything except commits.
//
//   Server server(*service, std::move(store), options);
//   server.listen_unix("/run/copse/copse.sock");
//   server.listen_tcp("127.0.0.1:7400");
//   const int status = server.run();   // until SIGTERM or SIGINT
//
// Bounds: at most Options::clients_max clients, shared fairly (FairLimit); one without a place gets an
// error and is disconnected. Requests are answered in turns of 2 ms (FairQueue), so a client that asks
// for much makes no other wait. LineClient::Limits bounds the memory of one client,
// Options::buffered_bytes_max that of all: above it, the client that uses the most is disconnected. A
// slow, silent or disconnected client does not affect others.
//
// Leases expire by a clock that stops while the server cannot listen, and only when each client
// whose request had arrived by then has had its turn.
//
// A Unix socket serves lines and HTTP: the first byte decides, because no JSON line begins with a
// capital letter. The kernel identifies its callers: the service's user and root are owners. A TCP
// port serves HTTP with tokens; with Options::tls, HTTPS with tokens and certificates.
//
// SIGHUP calls Options::reload. On SIGTERM and SIGINT the server stops accepting input, answers
// completed requests, writes the state, and run() returns; Options::stop bounds the wait. If a
// commit fails, the process ends at once: its memory is ahead of the disk, and no client may see
// that.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/disk_space.hpp"
#include "journal/store.hpp"
#include "server/http/events/event_log.hpp"
#include "server/http/http_connection.hpp"
#include "server/line_client.hpp"
#include "server/rights/rights.hpp"
#include "server/rights/user_namespace.hpp"
#include "server/service.hpp"
#include "server/service_manager.hpp"

namespace copse::server {

class Server {
 public:
  struct Options {
    std::size_t clients_max = 10'000;
    LineClient::Limits client{};
    // Buffers of all clients: partial lines and unsent answers.
    std::size_t buffered_bytes_max = std::size_t{512} << 20;
    std::size_t pending_bytes_max = std::size_t{256} << 20;  // of records that are not on disk yet
    std::function<std::int64_t()> clock{};                   // seconds since 1970
    std::function<void(const std::string& line)> log{};      // called from any thread
    std::string folder{};                                    // its disk is watched; "": none
    journal::DiskSpace::Limits space{};
    // Authenticates a bearer token; empty: every token is unknown.
    std::function<Caller(std::string_view token)> authenticate_token{};
    // TLS for TCP ports; nullptr: plain HTTP. Must outlive the server.
    const TlsServer* tls = nullptr;
    // Authenticates the names of a verified certificate; empty: every certificate is unknown.
    std::function<Caller(std::span<const std::string> names)> authenticate_certificate{};
    UserNamespace users{std::nullopt};  // whether peers on Unix sockets can be distinguished
    Role other_users = Role::none;      // other users of this computer, on Unix sockets
    Role anonymous = Role::none;        // clients on TCP without token or certificate
    std::function<void(const Audit& audit)> audit{};
    std::function<void()> reload{};  // called on SIGHUP
    std::string version{};
    // At shutdown, the longest wait for the disk, and then for clients to read their answers.
    struct Stop {
      std::chrono::milliseconds disk{30'000}, clients{5'000};
    };
    Stop stop{};
    HttpServerState::Limits http{};
    HostNames hosts{};  // by which TCP ports without TLS may be asked
    EventLog::Limits events{};
    ServiceManager manager{};
  };

  // REQUIRES that the service outlives the server. Writes the service's records to the store.
  Server(Service& service, std::unique_ptr<journal::Store> store, Options options);
  ~Server();

  // Listens at a socket file with mode 0600, or 0666 if Options::other_users is not Role::none. A
  // file on which no process listens is replaced. Errors: io; exists (a process listens there).
  [[nodiscard]] Result<void> listen_unix(const std::string& path);
  // "127.0.0.1:7400". Returns the address with its actual port. Errors: those of listen_on_tcp.
  [[nodiscard]] Result<std::string> listen_tcp(const std::string& where);
  // Listens at the inherited sockets of the service manager. Returns their names. Errors: invalid.
  [[nodiscard]] Result<std::vector<std::string>> listen_inherited();
  // Serves until a signal or stop(). Returns the exit status.
  int run();
  // May be called from any thread.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace copse::server
