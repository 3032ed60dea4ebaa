// SPDX-License-Identifier: Apache-2.0
//
// Streams: clients that do nothing but read events over HTTP, as fast as they come, on a thread of
// their own.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace copse::bench {

class Streams {
 public:
  Streams(const std::string& path, int count);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  // Of all streams: bytes that came, and how many were let go. Of the first: its events, and bytes.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t disconnected() const { return disconnected_; }
  [[nodiscard]] std::uint64_t first_events() const { return first_events_; }
  [[nodiscard]] std::uint64_t first_bytes() const { return first_bytes_; }

 private:
  void read();
  void note(int socket, const char* bytes, std::size_t size);

  std::vector<int> sockets_{};
  int ready_;  // of epoll
  std::atomic<std::uint64_t> bytes_ = 0, disconnected_ = 0, first_events_ = 0, first_bytes_ = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_{};
};

}  // namespace copse::bench
