// SPDX-License-Identifier: Apache-2.0
//
// The contents of a unit in a machine's picture: blocks, and rows of cells in them.
#pragma once

#include <cstdint>
#include <vector>

#include "draw/machine/machine_use.hpp"
#include "draw/svg_canvas.hpp"

namespace copse::draw {

// Boxes are relative to the unit's corner.
struct InsideRow {
  TypeId type;
  bool bar = false;             // one bar for all; else a cell for each
  bool wide = false;            // cells are rectangles: not cores
  std::vector<PoolId> pools{};  // in preorder
  std::uint32_t columns = 1;
  double cell_w = 0, cell_h = 0, gap = 1;
  Box box{};  // of cells or bar, without the label above
};
struct InsideBlock {
  PoolId pool;
  std::uint32_t parent = 0, depth = 0;
  std::vector<InsideRow> rows{};
  Box box{};
};
struct Inside {
  std::vector<InsideBlock> blocks;             // in preorder; the unit itself first
  [[nodiscard]] std::uint64_t shapes() const;  // an upper bound
};

// Pools at most three levels deep become blocks; deeper ones are shown by their leaves. Cores and
// gpus are cells even if they have pools below; of one block, the first 16 types are shown. O(pools
// below · types).
[[nodiscard]] Inside inside(const MachineUse& use, PoolId unit, double cell);
// Fonts of names in units, and of labels above rows (0: none), for a size of cells.
[[nodiscard]] double unit_font(double cell);
[[nodiscard]] double row_font(double cell);

}  // namespace copse::draw
