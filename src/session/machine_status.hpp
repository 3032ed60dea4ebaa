// SPDX-License-Identifier: Apache-2.0
//
// MachineStatus: which resources are free, allocated, down or reserved now, as in `flux resource
// list`: units by type, and the nodes that have some of them.
//
// Units of leaves are counted (cores, gpus, gigabytes of memory). A unit is allocated if a running
// job has it, even if it is down; else down, if its pool or one above it is down; else reserved, if
// a reservation has it now; else free. A node with free and allocated cores is in both lists; a
// node without cores is listed by its other leaves.
//
// Cost: O(pools + entries of grants); one byte a pool while it is computed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "copse/engine.hpp"

namespace copse {

struct MachineStatus {
  enum State : std::uint8_t { free, allocated, down, reserved };
  static constexpr std::array<const char*, 4> kWords{"free", "allocated", "down", "reserved"};

  struct Part {
    std::vector<std::int64_t> units{};  // by type, in the order of `types`
    std::vector<std::string> nodes{};   // names, in machine order
  };
  std::int64_t now_s = 0;
  std::size_t running = 0, planned = 0;  // jobs
  std::size_t reservations = 0;          // active times of reservations; 0: "reserved" is left out
  std::vector<std::string> types{};      // of leaves: core, gpu, then the others by name
  std::vector<std::string> unit_of{};    // by type, "GB"; "": pools are counted, or units differ
  std::array<Part, 4> parts{};           // by State
  // Why nodes are down, as their machine says (a Reason of Slurm), with those nodes in machine order.
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons{};
};

[[nodiscard]] MachineStatus status_of(const Engine& engine);

// Appends a table with a line for each state; then one of the reasons, if there are some.
void append_status_text(std::string& out, const MachineStatus& status);
// Appends {"now", "running", "planned", "free": {"nodes", "nodelist", "units": {TYPE: N}}, …};
// "reserved" comes last, if there are reservations. "down" has "reasons": [{"reason", "nodelist"}, …], if
// there are some. A last member "unit" has the units of the types that have one: {"memory": "GB"}.
void append_status_json(std::string& out, const MachineStatus& status);

}  // namespace copse
