// SPDX-License-Identifier: Apache-2.0
//
// A service, its clients, its clock and its disk in one thread, by one seed. The disk loses power and
// breaks at random moments, the service is killed and stopped, and starts again from what is left.
#pragma once

#include <deque>
#include <string>

#include "simulated_clients.hpp"
#include "simulated_host.hpp"

namespace copse::server {

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed);

  void step();
  // The first thing that was wrong; "": nothing.
  [[nodiscard]] const std::string& wrong() const { return host_.wrong(); }
  [[nodiscard]] std::size_t answers() const;
  [[nodiscard]] std::size_t ends() const { return host_.ends(); }
  [[nodiscard]] std::size_t starts() const { return executor_.starts(); }
  // Answers to the client that sends thousands of dear lines.
  [[nodiscard]] std::size_t greedy_answers() const { return greedy_.answers(); }

 private:
  void commit();
  void end(SimulatedHost::End how);

  RandomRequests requests_;
  SimulatedHost host_;
  std::deque<LineUser> lines_{};
  std::deque<HttpUser> http_{};
  Executor executor_;
  GreedyUser greedy_;
};

}  // namespace copse::server
