// SPDX-License-Identifier: Apache-2.0
//
// MachineStatus: which resources are free, allocated, down, reserved or drained now, as in `flux
// resource list`: units by type, and the nodes that have some of them.
//
// Units of leaves are counted (cores, gpus, gigabytes of memory). A unit is allocated if a running
// job has it, even if it is down; else down or drained, if its pool or one above it is; else reserved,
// if a reservation has it now; else free. A node with free and allocated cores is in both lists; a
// node without cores is listed by its other leaves.
//
// A node also has one state in one word (NodeState), so that the numbers of nodes add up to those of
// the machine.
//
// Cost: O(pools + entries of grants); one byte a pool while it is computed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "copse/engine.hpp"

namespace copse {

struct MachineStatus {
  enum State : std::uint8_t { free, allocated, down, reserved, drained };
  static constexpr std::array<const char*, 5> kWords{"free", "allocated", "down", "reserved",
                                                     "drained"};
  // draining: drained, and some job still runs on it.
  enum class NodeState : std::uint8_t { free, mixed, allocated, reserved, draining, drained, down };
  static constexpr std::array<const char*, 7> kNodeWords{
      "free", "mixed", "allocated", "reserved", "draining", "drained", "down"};

  struct Part {
    std::vector<std::int64_t> units{};  // by type, in the order of `types`
    std::vector<std::string> nodes{};   // names, in machine order
  };
  std::int64_t now_s = 0;
  std::size_t running = 0, planned = 0;  // jobs
  std::size_t reservations = 0;          // active times of reservations; 0: "reserved" is left out
  std::vector<std::string> types{};      // of leaves: core, gpu, then the others by name
  std::vector<std::string> unit_of{};    // by type, "GB"; "": pools are counted, or units differ
  std::array<Part, 5> parts{};           // by State
  std::array<std::size_t, 7> nodes{};    // by NodeState
  // Of the levels between the machine and its nodes, the highest first: the largest job of whole
  // nodes that starts now in one pool of the level.
  struct Level {
    std::string level{};  // its type, "rack"; with a number, from below, if others have it, too
    std::int64_t free = 0,
                 largest = 0;  // nodes that are free as a whole, of the machine; in the pool
    // 0: all free nodes are in one pool of the level.
    [[nodiscard]] double fragmentation() const {
      return free == 0 ? 0 : 1 - static_cast<double>(largest) / static_cast<double>(free);
    }
  };
  std::vector<Level> levels{};
  // Devices of a type, such as gpu{h100}: leaves, but no cores, with a property that has no value.
  struct Devices {
    std::string type{}, property{};
    std::array<std::int64_t, 5> units{};  // by State
  };
  std::vector<Devices> devices{};  // by type in the order of `types`, then by property
  // Why nodes are down, as an operator or the machine says (a Reason of Slurm), with those nodes in
  // machine order.
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons{};
};

// Of nodes that get no new jobs: whether that is because they are drained, and not down.
using IsDrained = std::function<bool(PoolId node)>;
// The reason that an operator gave for a node that is down; "": none.
using DownReason = std::function<std::string_view(PoolId node)>;
// `drained`: empty: no node is.
[[nodiscard]] MachineStatus status_of(const Engine& engine, const IsDrained& drained = {},
                                      const DownReason& reason = {});
// The state of a node in one word. `usable`: it gets new jobs. `has`: by State, whether some of it is so.
[[nodiscard]] MachineStatus::NodeState node_state(bool usable, bool is_drained,
                                                  const std::array<bool, 5>& has);

}  // namespace copse
