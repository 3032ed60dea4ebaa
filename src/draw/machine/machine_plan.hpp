// SPDX-License-Identifier: Apache-2.0
//
// The frames and units of a machine that are drawn (machine_svg.hpp defines the terms).
// machine_layout.hpp gives them coordinates, in pixels, right and down.
//
// Bounds: 2,000 frames, 8 deep; 20,000 units, or 12,000 if they represent several nodes each; in
// the detail `all`, 80,000 shapes inside all units together. With these the writer stays below
// kMachineShapesMax: see kPartsMax there.
#pragma once

#include <cstdint>
#include <vector>

#include "draw/machine/machine_use.hpp"
#include "draw/svg_canvas.hpp"

namespace copse::draw {

enum class Detail : std::uint8_t { all, bars, cells, summary };

// A pool with units below it, and the bars at its foot: leaves outside all units.
struct FrameBox {
  PoolId pool;
  std::uint32_t parent = 0;  // index in frames; the root is its own
  std::uint32_t base_first = 0, base_end = 0;
  std::vector<TypeUse> bars{};
  Box box{};
};

// A drawn unit: one or more consecutive base units.
struct UnitBox {
  PoolId pool;  // the first, or the frame that the cell represents
  std::uint32_t frame = 0;
  std::uint32_t base_first = 0, base_end = 0;
  Box box{};
};

struct MachinePlan {
  static constexpr std::size_t kBarsMax = 3;  // of a frame, and of a unit in the detail `bars`

  Detail detail = Detail::all;
  std::vector<PoolId> bases;     // the units of the machine, in preorder
  std::vector<FrameBox> frames;  // in preorder: the root first; none if the root is the one unit
  std::vector<UnitBox> units;
  struct Item {
    bool frame;
    std::uint32_t index;
  };
  std::vector<std::vector<Item>> items;  // by frame: its contents, in edge order
  bool frame_cells = false;              // cells represent frames
  std::uint32_t group = 1;               // most base units in a cell
  std::uint32_t frames_hidden = 0;       // frames that are neither drawn nor cells
  double cell = 8;                       // side of a core, or of a cell
  double width = 0, height = 0;
};

// Chooses detail, frames and units. O(pools).
[[nodiscard]] MachinePlan make_plan(const MachineUse& use);
}  // namespace copse::draw
