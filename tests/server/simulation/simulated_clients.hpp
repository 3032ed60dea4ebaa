// SPDX-License-Identifier: Apache-2.0
//
// Clients of a SimulatedHost. They live longer than the service, connect again after each of its ends,
// and remember what they were told: that must still hold then.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "requests.hpp"
#include "server/line_client.hpp"
#include "simulated_host.hpp"

namespace copse::server {

// Sends lines in pieces, and several ahead of their answers.
class LineUser {
 public:
  LineUser(SimulatedHost& host, Caller caller) : host_(host), who_(std::move(caller)) { connect(); }

  void connect();
  void ask(RandomRequests& requests);
  // Takes what may be sent.
  void take(RandomRequests& requests);
  [[nodiscard]] std::size_t answers() const { return answers_; }

 private:
  SimulatedHost& host_;
  Caller who_;
  std::unique_ptr<LineClient> client_;
  void check_seen(std::string_view line);
  std::deque<std::string> asked_;      // since it has connected, and not answered
  std::set<std::uint64_t> submitted_;  // jobs that it was told of
  std::size_t answers_ = 0;
};

// Is told what starts, and says when it ended, or that it goes on.
class Executor {
 public:
  explicit Executor(SimulatedHost& host) : host_(host) { connect(); }

  void connect();
  void act(std::uint64_t dice);
  void take();
  [[nodiscard]] std::size_t starts() const { return started_.size(); }

 private:
  void told(std::string_view line);
  void look_again(std::string_view gone);

  SimulatedHost& host_;
  std::unique_ptr<LineClient> client_;
  std::uint64_t next_ = 0;  // event
  std::set<std::uint64_t> started_, running_;
  std::size_t ends_ = 0;  // of the host, when it was told something last
};

// Asks one thing at a time over HTTP, and again if it was not answered.
class HttpUser {
 public:
  HttpUser(SimulatedHost& host, Caller caller) : host_(host), who_(std::move(caller)) {}

  void connect();
  void ask(RandomRequests& requests);
  void take(RandomRequests& requests);
  [[nodiscard]] std::size_t answers() const { return answers_; }

 private:
  struct Job {  // that it submitted with a key
    RandomHttp request;
    std::string answer;
  };
  void send();
  void check_kept();
  [[nodiscard]] std::string name_of(const RandomHttp& request) const;

  SimulatedHost& host_;
  Caller who_;
  std::optional<RandomHttp> asked_{};
  std::optional<HttpResponse> answer_{};
  std::vector<Job> jobs_;
  bool again_ = false;  // what is asked was answered before
  std::size_t answers_ = 0;
};

}  // namespace copse::server
