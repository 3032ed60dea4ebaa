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

// A client of lines. It works when it is its turn; what it sends waits for that.
class TurnTaker : public FairQueue::Client {
 public:
  TurnTaker(SimulatedHost& host, Caller caller) : host_(host), who_(std::move(caller)) {}
  bool work(queue::WorkBudget budget) override;

 protected:
  void begin();
  // The line, in two pieces, waits for the client's turn; `times`: it is sent that often.
  void send(const std::string& line, std::size_t cut = 0, std::size_t times = 1);

  SimulatedHost& host_;
  Caller who_;
  std::unique_ptr<LineClient> client_;
  // No line of a client that sends little waits longer than this, whatever others send.
  std::int64_t wait_max_ns_ = INT64_MAX;

 private:
  struct Sent {
    std::int64_t at_ns, cost_ns;
  };
  std::deque<Sent> sent_;  // lines that wait
  std::shared_ptr<FairQueue::Client> self_{this, [](FairQueue::Client*) {}};
};

// Sends lines in pieces, and several ahead of their answers.
class LineUser : public TurnTaker {
 public:
  LineUser(SimulatedHost& host, Caller caller) : TurnTaker(host, std::move(caller)) { connect(); }

  void connect();
  void ask(RandomRequests& requests);
  // Takes what may be sent.
  void take(RandomRequests& requests);
  [[nodiscard]] std::size_t answers() const { return answers_; }

 private:
  void check_seen(std::string_view line);
  std::deque<std::string> asked_;      // since it has connected, and not answered
  std::set<std::uint64_t> submitted_;  // jobs that it was told of
  std::size_t answers_ = 0;
};

// Sends thousands of the dearest lines that a guest may send, and more when those are answered.
class GreedyUser : public TurnTaker {
 public:
  explicit GreedyUser(SimulatedHost& host) : TurnTaker(host, {Role::guest, "mallory"}) {
    connect();
  }
  void connect();
  void ask();
  void take();
  [[nodiscard]] std::size_t answers() const { return answers_; }

 private:
  std::size_t asked_ = 0, answers_ = 0;
  std::uint64_t rounds_ = 0;
};

// Is told what starts, and says when it ended, or that it goes on.
class Executor : public TurnTaker {
 public:
  explicit Executor(SimulatedHost& host) : TurnTaker(host, kOwner) { connect(); }

  void connect();
  void act(std::uint64_t dice);
  void take();
  [[nodiscard]] std::size_t starts() const { return started_.size(); }

 private:
  void told(std::string_view line);
  void look_again(std::string_view gone);

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
