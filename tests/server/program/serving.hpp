// SPDX-License-Identifier: Apache-2.0
//
// The program `copse serve` as a process of its own, for tests that end it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "paths.hpp"
#include "server/line_socket.hpp"

namespace copse::server {

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

  // A connection, when it listens; nullptr: it does not within ten seconds.
  [[nodiscard]] std::unique_ptr<LineSocket> connect() const {
    for (int i = 0; i < 1'000; ++i) {
      auto socket = std::make_unique<LineSocket>(path_);
      if (socket->connected()) return socket;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return nullptr;
  }
  // What it has in memory.
  [[nodiscard]] std::size_t resident_kib() const {
    std::ifstream status("/proc/" + std::to_string(process_) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::strtoull(&line[6], nullptr, 10);
    }
    return 0;
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
  std::string path_;
  pid_t process_ = -1;
};

}  // namespace copse::server
