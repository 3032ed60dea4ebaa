// SPDX-License-Identifier: Apache-2.0
//
// A grant: the pools that a job has from one time to another, and the charges of layers and channels
// for them.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/ids.hpp"
#include "copse/selection.hpp"

namespace copse {

// A requested resource, by its number; count > 0. For a variable that depends on properties of
// nodes, `kinds` is its index among those of the resource, and the count is the least on any node.
struct HresNeed {
  static constexpr std::uint32_t kSame = UINT32_MAX;
  std::uint32_t resource = 0;
  std::int64_t count = 0;
  std::uint32_t kinds = kSame;
  bool operator==(const HresNeed&) const = default;
};

// The charge of a grant to one layer.
struct LayerCharge {
  std::uint32_t layer = 0;
  std::int64_t amount = 0;
  bool operator==(const LayerCharge&) const = default;
};

// The charge of a grant to one capacity of an auxiliary subsystem (hres/channels.hpp).
struct CapacityCharge {
  PoolId pool;
  SubsystemId subsystem;
  std::int64_t amount = 0;
  bool operator==(const CapacityCharge&) const = default;
};

// A chosen pool, and the amount that it takes along one channel.
struct PoolCharge {
  PoolId pool;
  std::uint32_t channel = 0;
  std::int64_t amount = 0;
  bool operator==(const PoolCharge&) const = default;
};

// The amounts that a grant takes from layers and capacities, over its whole time.
struct GrantCharges {
  std::vector<HresNeed> needs;      // of the alternative that was matched
  std::vector<LayerCharge> layers;  // in the order of the needs
  std::vector<PoolCharge> pools{};  // along auxiliary subsystems, by the pools that cause them
  std::vector<CapacityCharge> capacities{};  // the sums of these: root first, by subsystem
  // no charges to hierarchical resources
  [[nodiscard]] bool empty() const { return needs.empty(); }
  void clear() {
    needs.clear();
    layers.clear();
    pools.clear();
    capacities.clear();
  }
};

struct Grant {
  JobId job = 0;
  std::int64_t start = 0, end = 0;
  std::int64_t nslots = 0;  // as matched; not reduced by later releases
  Selection selection;
  GrantCharges charges;
};

}  // namespace copse
