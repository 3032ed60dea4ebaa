// SPDX-License-Identifier: Apache-2.0
//
// MachineStatus: what of a machine is free, allocated or down now, as `flux resource list` shows
// it: by type, and by the nodes that have some of it.
//
// Counted are units of leaves (cores, gpus, gigabytes of memory). A unit that a running job has is
// allocated, also if it is down; one that is down, or below what is, is down; else it is free. A
// node with free and allocated cores is in both lists; one without cores is listed by its leaves.
//
// Cost: O(pools + what is granted); a byte a pool while it is made.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "copse/engine.hpp"

namespace copse {

struct MachineStatus {
  enum State : std::uint8_t { free, allocated, down };
  static constexpr std::array<const char*, 3> kWords{"free", "allocated", "down"};

  struct Part {
    std::vector<std::int64_t> units{};  // by type, as `types`
    std::vector<std::string> nodes{};   // names, in the order of the machine
  };
  std::int64_t now_s = 0;
  std::size_t running = 0, planned = 0;  // jobs
  std::vector<std::string> types{};      // of leaves: core, gpu, then the others by name
  std::array<Part, 3> parts{};           // by state
};

[[nodiscard]] MachineStatus status_of(const Engine& engine);

// A table: a line for each state.
void append_status_text(std::string& out, const MachineStatus& status);
// One object: {"now", "running", "planned", "free": {"nodes", "nodelist", "units": {TYPE: N}}, …}
void append_status_json(std::string& out, const MachineStatus& status);

}  // namespace copse
