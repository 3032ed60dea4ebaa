// SPDX-License-Identifier: Apache-2.0
//
// Shape: a summary of the pools below a pool, which a match reads before it visits any of them.
//
// A machine has many racks and nodes, but few kinds of them. Equal pools share one Shape, so memory
// depends on the number of kinds.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/ids.hpp"

namespace copse {

// Units of one type below a pool.
struct TypeTotal {
  TypeId type;
  std::int64_t total = 0;
  bool operator==(const TypeTotal&) const = default;
};

// Consecutive children of one type.
struct ChildRun {
  TypeId type;
  std::uint32_t first = 0;  // index into the parent's child list
  std::uint32_t count = 0;
  std::int64_t size = -1;   // size of each of them; -1 if they differ
  bool leaves = false;      // all are leaves: their pool numbers are consecutive
  bool ascending = false;   // their ids ascend strictly
  bool by_uniq_id = false;  // their uniq_ids ascend
  bool operator==(const ChildRun&) const = default;
};

// The contents of an interior pool; shared by all pools with equal contents.
struct Shape {
  std::vector<TypeTotal> totals;    // units strictly below, by type, types ascending
  std::vector<ChildRun> runs;       // the children, in edge order
  std::vector<TypeId> child_types;  // types of direct children in any subsystem, ascending

  [[nodiscard]] std::int64_t total(TypeId type) const;  // 0 if there is none
  [[nodiscard]] int total_index(TypeId type) const;     // index into totals; -1 if none
  [[nodiscard]] bool has_child(TypeId type) const;
  bool operator==(const Shape&) const = default;
};

}  // namespace copse
