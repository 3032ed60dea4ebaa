// SPDX-License-Identifier: Apache-2.0
//
// The program `copse serve`, for as long as the object lives: on examples/machines/desk.graphml, in a
// folder of its own, with its socket there. It ends when the test does, whatever happens.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tools/program.hpp"

namespace copse {

class LiveService {
 public:
  // `more` words of its command line. Throws if nobody listens within ten seconds.
  explicit LiveService(std::vector<std::string> more = {});
  ~LiveService();
  LiveService(const LiveService&) = delete;
  LiveService& operator=(const LiveService&) = delete;

  [[nodiscard]] const Scratch& scratch() const { return scratch_; }
  [[nodiscard]] std::string socket() const { return scratch_.path().string() + "/socket"; }
  [[nodiscard]] std::string state() const { return scratch_.path().string() + "/state"; }
  [[nodiscard]] std::string log() const { return scratch_.read("log"); }
  // The port behind --listen 127.0.0.1:0, by what it has said.
  [[nodiscard]] std::string url() const;
  // The program `copse` with this service as COPSE_SERVER; further variables as "NAME=VALUE".
  [[nodiscard]] Outcome copse(const std::vector<std::string>& words,
                              const std::vector<std::string>& environment = {},
                              std::string_view input = {}) const;
  // A line of the session protocol, and its answer.
  std::string ask(std::string_view line) const;
  void tell(int signal) const;
  // Ends it with this signal, and waits for that.
  void end(int signal);
  // Starts it again on its state. It ends with the thread that calls this.
  void start();

 private:
  std::vector<std::string> more_;
  Scratch scratch_;
  pid_t process_ = -1;
};

// One for all tests of a process, where jobs are: 1 has ended well, 2 runs on three of four nodes, 3
// wants all of them and is promised a start, 4 is held. The reservation "course" is years ahead.
[[nodiscard]] const LiveService& service_with_jobs();

// Waits until the job is in this state, at most ten seconds.
inline void await_job(const LiveService& service, const std::string& id, std::string_view state) {
  for (int i = 0; i < 1'000; ++i) {
    const std::string job = service.ask(R"({"op": "job", "id": )" + id + "}");
    if (job.find(R"("state": ")" + std::string(state) + '"') != std::string::npos) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << "job " << id << " is not " << state;
}

}  // namespace copse
