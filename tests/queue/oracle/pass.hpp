// SPDX-License-Identifier: Apache-2.0
//
// The passes of the oracle over its queues (oracle.hpp has their rules).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "queue/oracle/plan.hpp"

namespace copse::queue_oracle {

struct QueueRules {
  std::string discipline;
  std::size_t depth = SIZE_MAX, depth_max = SIZE_MAX;  // jobs examined in a pass
  std::size_t reservations = 64;                       // hybrid
  bool stopped = false;

  [[nodiscard]] std::size_t looks() const { return depth < depth_max ? depth : depth_max; }
  [[nodiscard]] std::size_t promises_max() const;
};

class Pass {
 public:
  Pass(Plan& plan, const std::vector<QueueRules>& queues) : plan_(plan), queues_(queues) {}

  void run();  // until nothing changes

 private:
  [[nodiscard]] Found find_now(const Job& job) const;
  void fill_reservations();
  void take_back(std::size_t queue);
  bool move_earlier(std::size_t queue);
  void look(std::size_t queue);
  void fill(const std::vector<Job*>& rest, std::size_t looks);

  Plan& plan_;
  const std::vector<QueueRules>& queues_;
};

}  // namespace copse::queue_oracle
