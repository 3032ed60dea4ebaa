// SPDX-License-Identifier: Apache-2.0
//
// Hierarchical resources (Slurm's HRES): amounts counted over sets of nodes, as a file specifies
// them and as views show them. src/hres/hres_table.hpp has their state.
//
// A resource has a mode and layers; a layer is a count that covers a set of nodes.
//   mode 1   one layer over the job's nodes is charged the requested count, once
//   mode 2   every layer over one of the job's nodes is charged it, once
//   mode 3   every layer on the path from each node to the root of a tree of layers is charged, for
//            each node
// A plain licence is a resource of mode 1 with one layer over all nodes.
// Source: Slurm's documentation of hierarchical resources; docs/reference/hierarchical-resources.md.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "copse/error.hpp"

namespace copse {

inline constexpr std::int64_t kUnlimitedCount = -1;  // the count of a layer without a bound, as in
                                                     // the file

// A layer as specified: its nodes, its units, and how many of them are always in use.
struct LayerSpec {
  std::vector<std::pair<std::string, SourceLocation>> nodes;  // hostlists (RFC 29), in order
  std::int64_t count = 0;                                     // kUnlimitedCount, or 0 and more
  std::vector<std::pair<std::string, std::int64_t>> bases;    // label and value; values are >= 0
  SourceLocation place;                                       // where the layer begins
  SourceLocation count_place;
};

// The value of a variable on nodes with a property. The first that applies counts; else the
// variable's plain entry, else 0.
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

// The content of resources.yaml, in the order of the file. Entries with the same name are one
// resource.
struct HresSpec {
  std::vector<ResourceSpec> resources;
};

// An amount of one layer that is reserved for named jobs over [start, end).
struct LayerReservation {
  std::string id;
  std::string resource, nodes;
  std::int64_t count = 1;
  std::int64_t start = 0, end = 0;
  std::vector<std::uint64_t> jobs;
};

// Which sufficient layer is charged in mode 1: the one with the largest total, or the first in the
// file.
enum class LayerOrder : std::uint8_t { count, file };

// A layer as it is at one time.
struct LayerView {
  std::string resource;
  std::string nodes;  // a hostlist, as in the file
  int mode = 1;
  std::uint32_t node_count = 0;
  std::int64_t total = 0;     // the count less all bases; kUnlimitedCount if there is no bound
  std::int64_t base = 0;      // always in use: its own base, in mode 3 also those of layers below
  std::int64_t used = 0;      // the charges of grants; may exceed total
  std::int64_t reserved = 0;  // the sum of reservations
  std::int64_t held = 0;      // what their jobs have not taken of the reservations
  int level = 0;              // mode 3: 0 for leaves, one more for each layer above; else 0
  std::int32_t parent = -1;   // mode 3: the index of the layer above in the list; -1: none
  std::uint32_t number = 0;   // in the charges of grants (LayerCharge)
};

}  // namespace copse
