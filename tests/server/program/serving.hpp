// SPDX-License-Identifier: Apache-2.0
//
// The program `copse serve` as a process of its own, for tests that end it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/eventually.hpp"
#include "paths.hpp"
#include "server/line_socket.hpp"

namespace copse::server {

// How many requests of a client are done, for a thread that kills the service among them.
class RequestCount {
 public:
  void add() {
    ++count_;
    count_.notify_all();
  }
  void wait_for(int least) const {
    for (int now = count_; now < least; now = count_) count_.wait(now);
  }

 private:
  std::atomic<int> count_ = 0;
};

// The program, until it is killed.
class Serving {
 public:
  Serving(const std::string& folder, const std::string& machine) : path_(folder + "/socket") {
    process_ = ::fork();
    if (process_ == 0) {
      const int log = ::open((folder + "/log").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
      ::dup2(log, STDERR_FILENO);
      const std::string program = build_dir() + "/copse";
      ::execl(program.c_str(), "copse", "serve", "-L", machine.c_str(), "-P", "low", "--state",
              folder.c_str(), "--socket", path_.c_str(), "--snapshot-changes", "50", nullptr);
      ::_exit(127);
    }
  }
  ~Serving() { kill(SIGKILL); }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  // A connection, when it listens; nullptr: it does not listen (base/eventually.hpp).
  [[nodiscard]] std::unique_ptr<LineSocket> connect() const {
    std::unique_ptr<LineSocket> socket;
    const bool connected = eventually([&] {
      socket = std::make_unique<LineSocket>(path_);
      return socket->connected();
    });
    return connected ? std::move(socket) : nullptr;
  }
  [[nodiscard]] std::size_t resident_kib() const { return status("VmRSS:", 10); }
  // Whether the process has not yet taken a signal that was sent to it.
  [[nodiscard]] bool has_pending(int signal) const {
    return (status("ShdPnd:", 16) >> (signal - 1) & 1) != 0;
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  void tell(int signal) const { ::kill(process_, signal); }
  // Returns what waitpid says of its end.
  int kill(int signal) {
    int status = 0;
    if (process_ > 0) {
      ::kill(process_, signal);
      ::waitpid(process_, &status, 0);
    }
    process_ = -1;
    return status;
  }

 private:
  // A number of /proc/PID/status; 0: it has none.
  [[nodiscard]] std::uint64_t status(std::string_view key, int base) const {
    std::ifstream file("/proc/" + std::to_string(process_) + "/status");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with(key)) return std::strtoull(&line[key.size()], nullptr, base);
    }
    return 0;
  }

  std::string path_;
  pid_t process_ = -1;
};

}  // namespace copse::server
