// SPDX-License-Identifier: Apache-2.0
//
// The program `copse serve`, while the object exists: on a machine of examples/, or of a file with an
// absolute name; in a separate folder, with its socket there. It ends with the test in any case.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/program.hpp"

namespace copse {

class LiveService {
 public:
  // `more` words of its command line. Throws if the service does not listen (base/eventually.hpp).
  explicit LiveService(std::vector<std::string> more = {},
                       std::string machine = "machines/desk.graphml");
  ~LiveService();
  LiveService(const LiveService&) = delete;
  LiveService& operator=(const LiveService&) = delete;

  [[nodiscard]] const Scratch& scratch() const { return scratch_; }
  [[nodiscard]] std::string socket() const { return scratch_.path().string() + "/socket"; }
  [[nodiscard]] std::string state() const { return scratch_.path().string() + "/state"; }
  [[nodiscard]] std::string log() const { return scratch_.read("log"); }
  // The address of --listen 127.0.0.1:0, from its log.
  [[nodiscard]] std::string url() const;
  // The program `copse` with this service as COPSE_SERVER; further variables as "NAME=VALUE".
  [[nodiscard]] Outcome copse(const std::vector<std::string>& words,
                              const std::vector<std::string>& environment = {},
                              std::string_view input = {}) const;
  // A line of the session protocol, and its answer.
  std::string ask(std::string_view line) const;
  // A number of its metrics; 0: there is none of this name.
  [[nodiscard]] std::int64_t metric(std::string_view name) const;
  // Until a job has this text in its answer, such as `"state": "running"`, or the test has failed.
  void await_job(std::string_view id, std::string_view text) const;
  // How many streams of events clients opened since the start, as `copse wait` does.
  [[nodiscard]] std::int64_t streams_opened() const;
  // Until streams_opened() is at least that, or the test has failed.
  void await_streams(std::int64_t count) const;
  void tell(int signal) const;
  // Ends it with this signal, and waits for that.
  void end(int signal);
  // Starts it again with its state. It ends with the thread that calls this.
  void start();

 private:
  std::vector<std::string> more_;
  std::string machine_;
  Scratch scratch_;
  pid_t process_ = -1;
};

// One for all tests of a process, with jobs: 1 is done, 2 runs on three of four nodes, 3 needs all of them
// and has a planned start, 4 is on hold, 5 runs on a core of the fourth node. The reservation "course" is years ahead.
[[nodiscard]] const LiveService& service_with_jobs();

// Waits until the job is in this state, or the test has failed.
inline void await_job(const LiveService& service, const std::string& id, std::string_view state) {
  service.await_job(id, R"("state": ")" + std::string(state) + '"');
}

}  // namespace copse
