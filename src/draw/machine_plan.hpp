// SPDX-License-Identifier: Apache-2.0
//
// What of a machine is drawn, and where: frames, units and what is in a unit (the words are those
// of machine_svg.hpp). Coordinates are pixels, right and down.
//
// Bounds: 2,000 frames, 8 deep; 20,000 units, 12,000 if they stand for several nodes each; in the
// detail `all`, inside() of all units together 80,000 shapes. The writer keeps below
// kMachineShapesMax by these: see kPartsMax there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "draw/machine_use.hpp"

namespace copse {

struct Box {
  double x = 0, y = 0, w = 0, h = 0;
};

enum class Detail : std::uint8_t { all, bars, cells, summary };

// A pool with units below it, and the bars at its foot: leaves that no unit contains.
struct FrameBox {
  PoolId pool;
  std::uint32_t parent = 0;  // place in frames; the root is its own
  std::uint32_t base_first = 0, base_end = 0;
  std::vector<TypeUse> bars{};
  Box box{};
};

// A drawn unit: one or more consecutive base units.
struct UnitBox {
  PoolId pool;  // the first, or the frame that the cell stands for
  std::uint32_t frame = 0;
  std::uint32_t base_first = 0, base_end = 0;
  Box box{};
};

struct Plan {
  static constexpr std::size_t kBarsMax = 3;  // of a frame, and of a unit in the detail `bars`

  Detail detail = Detail::all;
  std::vector<PoolId> bases;     // the units of the machine, in preorder
  std::vector<FrameBox> frames;  // in preorder: the root first; none if the root is the one unit
  std::vector<UnitBox> units;
  struct Item {
    bool frame;
    std::uint32_t index;
  };
  std::vector<std::vector<Item>> items;  // by frame: what stands in it, in edge order
  bool frame_cells = false;              // cells stand for frames
  std::uint32_t group = 1;               // at most so many base units in a cell
  std::uint32_t frames_hidden = 0;       // frames that are neither drawn nor a cell
  double cell = 8;                       // side of a core, or of a cell
  double width = 0, height = 0;
};

// Chooses detail, frames and units. O(pools).
[[nodiscard]] Plan make_plan(const MachineUse& use);
// Gives every box its place, the root's corner at (0, 0).
void lay_out(Plan& plan, const MachineUse& use);

// Heights of the line with a name on top of a frame, and of a bar at its foot.
[[nodiscard]] constexpr double frame_label_height() { return 14; }
[[nodiscard]] constexpr double frame_bar_height() { return 11; }

// What is in a unit. Boxes are relative to the unit's corner.
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
  [[nodiscard]] std::uint64_t shapes() const;  // at most so many are drawn
};

// Pools at most three levels deep become blocks; what is deeper is shown by its leaves. Cores and
// gpus are cells also where they have something below; of one block, the first 16 types are shown.
// O(pools below · types).
[[nodiscard]] Inside inside(const MachineUse& use, PoolId unit, double cell);
// Font of names in units, and of words above rows (0: there are none), for a size of cells.
[[nodiscard]] double unit_font(double cell);
[[nodiscard]] double row_font(double cell);

// Puts boxes into rows from the left, such that all come to about `aspect` (width : height).
// Returns the whole. O(boxes · log boxes).
[[nodiscard]] Box shelve(std::span<Box* const> boxes, double gap, double aspect);

}  // namespace copse
