// SPDX-License-Identifier: Apache-2.0
//
// Client: one client of a service on a Unix socket. It sends a burst of requests, and the next one when
// all are answered.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace copse::bench {

using LoadClock = std::chrono::steady_clock;

[[noreturn]] void give_up(const std::string& why);
// A connection.
[[nodiscard]] int connect_to(const std::string& path);
// Resident memory of who listens there.
[[nodiscard]] double resident_mib(int socket);
[[nodiscard]] double seconds_since(LoadClock::time_point start);

class Client {
 public:
  // What it asks: allocs and frees of a core; submits and ends of jobs; a document over HTTP.
  enum class Kind : std::uint8_t { grants, jobs, get };
  struct Wish {
    Kind kind = Kind::grants;
    int depth = 1;      // requests of a burst
    std::string get{};  // a path
  };

  // Ids of its grants are its own: `number` is that of no other client.
  Client(const std::string& path, int number, Wish wish);

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] bool idle() const { return left_ == 0; }
  // REQUIRES idle().
  void send_burst();
  // Takes what has come. Appends the seconds from the burst to each answer.
  void receive(std::vector<double>& took_s);

 private:
  [[nodiscard]] std::string request(int place);
  // How many bytes of what came are the next answer, from `begin` on; 0: it is not all there.
  [[nodiscard]] std::size_t answer_size(std::size_t begin) const;
  void check(std::string_view answer);

  int socket_, number_;
  Wish wish_;
  bool gives_back_ = false;  // the burst gives back what the one before took
  int left_ = 0;             // answers to come
  std::vector<std::uint64_t> jobs_{};
  LoadClock::time_point sent_{};
  std::string received_{};
};

}  // namespace copse::bench
