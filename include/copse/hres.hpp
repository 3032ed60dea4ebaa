// SPDX-License-Identifier: Apache-2.0
//
// HresTable: hierarchical resources, counted over sets of nodes (Slurm's HRES), as they are written
// and as they are seen.
//
// A resource has a mode and layers; a layer is a count that covers a set of nodes.
//   mode 1   some layer over the job's nodes pays the count asked for, once
//   mode 2   every layer over one of the job's nodes pays it, once
//   mode 3   every layer on the path from each node to the root of a tree of layers pays it, for
//            each node
// A plain licence is a resource of mode 1 with one layer over all nodes.
// Source: Slurm's documentation of hierarchical resources; docs/reference/hierarchical-resources.md.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "copse/error.hpp"
#include "copse/ids.hpp"

namespace copse {

inline constexpr std::int64_t kUnlimitedCount = -1;  // of a layer, as it is written in the file

// A layer as written: which nodes, how many units, and what of them is always in use.
struct LayerSpec {
  std::vector<std::pair<std::string, SourceLocation>> nodes;  // hostlists (RFC 29), in order
  std::int64_t count = 0;                                     // kUnlimitedCount, or 0 and more
  std::vector<std::pair<std::string, std::int64_t>> bases;    // label and value; values are >= 0
  SourceLocation place;                                       // where the layer begins
  SourceLocation count_place;
};

// What a variable is on nodes that have a property: the first that applies counts, else the value
// of the variable's plain entry, else 0.
struct VariableOfProperty {
  std::string name, property;
  std::int64_t value = 0;
};

struct ResourceSpec {
  std::string name;
  int mode = 1;                                                 // 1, 2, 3
  std::string topology;                                         // a name, "" if none; mode 3
  std::vector<std::pair<std::string, std::int64_t>> variables;  // the first of a name counts
  std::vector<VariableOfProperty> of_properties{};              // mode 3
  std::vector<LayerSpec> layers;
  SourceLocation place;  // of the name
};

// What resources.yaml says, in the order of the file. Names may repeat: such resources are one.
struct HresSpec {
  std::vector<ResourceSpec> resources;
};

// One resource that a request asks for, by its number; count > 0. Where it is a variable that
// depends on properties of nodes, `kinds` is its number among those of the resource, and the count
// the least that any node draws.
struct HresNeed {
  static constexpr std::uint32_t kSame = UINT32_MAX;
  std::uint32_t resource = 0;
  std::int64_t count = 0;
  std::uint32_t kinds = kSame;
  bool operator==(const HresNeed&) const = default;
};

// What one layer is charged for a grant.
struct LayerCharge {
  std::uint32_t layer = 0;
  std::int64_t amount = 0;
  bool operator==(const LayerCharge&) const = default;
};

// What one capacity of an auxiliary subsystem is charged for a grant (hres/channels.hpp).
struct CapacityCharge {
  PoolId pool;
  SubsystemId subsystem;
  std::int64_t amount = 0;
  bool operator==(const CapacityCharge&) const = default;
};

// A pool that was chosen, and what it draws along one channel.
struct PoolCharge {
  PoolId pool;
  std::uint32_t channel = 0;
  std::int64_t amount = 0;
  bool operator==(const PoolCharge&) const = default;
};

// What a grant draws from the supply, over its whole time.
struct GrantCharges {
  std::vector<HresNeed> needs;      // of the alternative that served
  std::vector<LayerCharge> layers;  // in the order of the needs
  std::vector<PoolCharge> pools{};  // along auxiliary subsystems, by the pools that draw it
  std::vector<CapacityCharge> capacities{};  // and what that comes to: root first, by subsystem
  [[nodiscard]] bool empty() const { return needs.empty(); }  // of hierarchical resources
  void clear() {
    needs.clear();
    layers.clear();
    pools.clear();
    capacities.clear();
  }
};

// An amount of one layer that is kept for named jobs over [start, end).
struct LayerReservation {
  std::string id;
  std::string resource, nodes;
  std::int64_t count = 1;
  std::int64_t start = 0, end = 0;
  std::vector<std::uint64_t> jobs;
};

// Which sufficient layer pays in mode 1: the one with the largest total, or the first in the file.
enum class LayerOrder : std::uint8_t { count, file };

// A layer as it is at one time.
struct LayerView {
  std::string resource;
  std::string nodes;  // a hostlist, in the order in which it was written
  int mode = 1;
  std::uint32_t node_count = 0;
  std::int64_t total = 0;     // the count less all base; kUnlimitedCount if there is no bound
  std::int64_t base = 0;      // what is always in use: its own, in mode 3 also of layers below
  std::int64_t used = 0;      // what grants are charged; may be more than total
  std::int64_t reserved = 0;  // the sum of reservations
  std::int64_t held = 0;      // what of that their jobs have not taken
  int level = 0;              // mode 3: 0 for leaves, one more for each layer above; else 0
  std::int32_t parent = -1;   // mode 3: the place of the layer above in the list; -1: none
};

}  // namespace copse
