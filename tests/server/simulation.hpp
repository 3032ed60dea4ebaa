// SPDX-License-Identifier: Apache-2.0
//
// A service, its clients, its clock and its disk in one thread, by one seed. The disk loses power
// at random moments, and the service starts again from what is left.
//
// After each start: what was answered is there; what is there was asked for; the state is the one
// after the last record that is there, and answers the next requests as that one does.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "requests.hpp"
#include "server/line_client.hpp"
#include "server/service.hpp"
#include "store/crash_disk.hpp"
#include "store/sqlite_store.hpp"

namespace copse::server {

class Simulation : Journal {
 public:
  explicit Simulation(std::uint64_t seed);

  void step();
  // The first thing that was wrong; "": nothing.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] std::size_t answers() const { return answers_; }
  [[nodiscard]] std::size_t crashes() const { return crashes_; }

 private:
  struct State {  // after a record
    std::uint64_t fingerprint = 0;
    std::function<std::string()> save;
  };

  store::Sequence append(std::string record) override;
  void snapshot(std::function<std::string()> state) override {
    wanted_ = std::move(state);
    wanted_next_ = durable_ + pending_.size();
  }
  [[nodiscard]] bool room() const override { return true; }

  void start(store::CrashDisk::Files files);
  void ask();
  void commit();
  void lose_power();
  // What the disk has against what was promised. REQUIRES that the service has just started.
  void compare(store::Sequence promised);
  void fail(std::string what);

  std::mt19937_64 random_;
  RandomRequests requests_;
  std::int64_t now_s_ = 1'000;
  std::unique_ptr<store::CrashDisk> disk_;
  std::unique_ptr<store::SqliteStore> store_;
  std::unique_ptr<Service> service_;
  std::deque<LineClient> clients_;
  // Records that wait for a commit, and the state that is to be kept after them.
  std::vector<std::string> pending_;
  std::function<std::string()> wanted_{};
  store::Sequence wanted_next_ = 0;
  store::Sequence durable_ = 0, answered_ = 0;
  std::deque<State> states_;         // after record first_state_ - 1, first_state_, …
  store::Sequence first_state_ = 0;  // records before the first of them
  std::string wrong_;
  std::size_t answers_ = 0, crashes_ = 0;
};

}  // namespace copse::server
