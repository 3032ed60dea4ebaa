// SPDX-License-Identifier: Apache-2.0
//
// MachineStatus: what of a machine is free, allocated or down now, as `flux resource list` shows
// it: by type, and by the nodes that have some of it.
//
// Counted are units of leaves (cores, gpus, gigabytes of memory). A unit that a running job has is
// allocated, also if it is down; one that is down, or below what is, is down; one that a reservation
// has now is reserved; else it is free. A
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
  enum State : std::uint8_t { free, allocated, down, reserved };
  static constexpr std::array<const char*, 4> kWords{"free", "allocated", "down", "reserved"};

  struct Part {
    std::vector<std::int64_t> units{};  // by type, as `types`
    std::vector<std::string> nodes{};   // names, in the order of the machine
  };
  std::int64_t now_s = 0;
  std::size_t running = 0, planned = 0;  // jobs
  std::size_t reservations = 0;          // times of them; 0: nobody is told of "reserved"
  std::vector<std::string> types{};      // of leaves: core, gpu, then the others by name
  std::array<Part, 4> parts{};           // by state
};

[[nodiscard]] MachineStatus status_of(const Engine& engine);

// A table: a line for each state.
void append_status_text(std::string& out, const MachineStatus& status);
// One object: {"now", "running", "planned", "free": {"nodes", "nodelist", "units": {TYPE: N}}, …},
// with "reserved" as the last if there are reservations.
void append_status_json(std::string& out, const MachineStatus& status);

}  // namespace copse
