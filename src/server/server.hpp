// SPDX-License-Identifier: Apache-2.0
//
// Server: a service on Unix sockets and TCP ports. One thread runs everything but the commits.
//
//   Server server(*service, next, std::move(store), options);
//   server.listen_unix("/run/copse/copse.sock");
//   server.listen_tcp("127.0.0.1:7400");
//   const int status = server.run();   // until SIGTERM or SIGINT
//
// Bounds: Options::clients_max at one time; who comes then is told so, and let go. What a client
// costs is bounded by LineClient::Limits, and what all cost by Options::held_bytes_max: beyond it, whoever
// costs the most is let go. A client that is slow, silent or gone harms no other.
//
// A Unix socket takes lines and HTTP: the first byte tells, since no line of JSON begins with a
// capital letter. Who asks there is known from the kernel: the user of the service and root own it.
// A TCP port takes HTTP with tokens, or HTTPS with tokens and certificates if Options::tls is there.
//
// SIGHUP: Options::reload. SIGTERM and SIGINT: nobody is listened to any more, what was done is
// answered and kept, with a state, and run() returns; Options::stop bounds it. If the disk refuses a
// commit, the process ends at once: what is in memory is ahead of the disk, and nobody may see it.
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
#include "server/http/event_log.hpp"
#include "server/http/http_connection.hpp"
#include "server/line_client.hpp"
#include "server/rights/rights.hpp"
#include "server/service.hpp"
#include "server/service_manager.hpp"

namespace copse::server {

class Server {
 public:
  struct Options {
    std::size_t clients_max = 10'000;
    LineClient::Limits client{};
    // What is kept for all clients: lines that have not ended, answers that are not sent.
    std::size_t held_bytes_max = std::size_t{512} << 20;
    std::size_t waiting_bytes_max = std::size_t{256} << 20;  // of records on their way to the disk
    std::function<std::int64_t()> clock{};                   // seconds since 1970
    std::function<void(const std::string& line)> log{};      // from any thread
    std::string folder{};                                    // whose disk is watched; "": none is
    journal::DiskSpace::Limits space{};
    // Who has a token; without it nobody has one.
    std::function<Who(std::string_view token)> who_of_token{};
    // By which TCP ports speak TLS; nullptr: they do not. It lives longer than the server.
    const TlsServer* tls = nullptr;
    // Who has a certificate with these names; without it nobody has one.
    std::function<Who(std::span<const std::string> names)> who_of_certificate{};
    Role everybody = Role::nobody;  // other users of this computer, on Unix sockets
    Role anonymous = Role::nobody;  // who has neither token nor certificate, on TCP
    std::function<void(const Audit& audit)> audit{};
    std::function<void()> reload{};  // what SIGHUP asks for
    std::string version{};
    // How long, at its end, it waits for the disk; and then for clients to take what they are owed.
    struct Stop {
      std::chrono::milliseconds disk{30'000}, clients{5'000};
    };
    Stop stop{};
    HttpShared::Limits http{};
    EventLog::Limits events{};
    ServiceManager manager{};
  };

  // REQUIRES that the service lives longer; its records go to the store from now on.
  Server(Service& service, std::unique_ptr<journal::Store> store, Options options);
  ~Server();

  // A socket file that only its owner may use, or all if Options::everybody is somebody; one that
  // nobody listens to is replaced. Errors: io; exists (somebody listens there).
  [[nodiscard]] Result<void> listen_unix(const std::string& path);
  // "127.0.0.1:7400". Returns where it is, with the port that it got. Errors: those of
  // listen_on_tcp.
  [[nodiscard]] Result<std::string> listen_tcp(const std::string& where);
  // At sockets that the manager has handed down. Returns where they are. Errors: invalid.
  [[nodiscard]] Result<std::vector<std::string>> listen_handed_down();
  // Serves until a signal, or stop(). Returns the exit status.
  int run();
  // From any thread.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace copse::server
