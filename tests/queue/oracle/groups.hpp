// SPDX-License-Identifier: Apache-2.0
//
// Groups of nodes in the oracle: nodes of a group are in the same sets of allowed nodes, are reserved
// at the same times and, if jobs charge power, are in the same half of the machine.
//
// If all jobs charge the same power for each node, and otherwise all nodes are alike, the groups are
// one, with as many nodes as have power (`cap`).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "queue/oracle/reservations.hpp"

namespace copse::queue_oracle {

struct Groups {
  struct Group {
    std::vector<int> nodes{};  // also those that are down
    std::vector<std::pair<Time, Time>> reserved{};
    std::int64_t usable = 0;
  };
  std::vector<Group> all{};
  std::vector<int> of_node{};            // by node
  std::vector<std::vector<int>> sets{};  // of allowed nodes
  bool licences = false, power = false;  // jobs charge them
  std::set<std::uint64_t> outside{};     // grants outside the queue that are reserved times
  std::int64_t cap_power = 0;            // of each node, if it is the cap of the one group; else 0

  // The groups of these nodes: first those in the fewest sets, of these the reserved ones.
  [[nodiscard]] std::vector<std::size_t> order(const std::vector<int>& allowed) const;
  [[nodiscard]] bool reserved(std::size_t group, Time at) const;
};

}  // namespace copse::queue_oracle
