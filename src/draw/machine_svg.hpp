// SPDX-License-Identifier: Apache-2.0
//
// A machine as a picture (SVG 1.1): racks as boxes, with their nodes, and what is in use of each.
//
// The layout follows the dominant tree, like a floor plan. *Frames* are the pools with nodes below
// them (cluster, rack, chassis): boxes that contain what is below. *Units* are the nodes; in a
// machine without nodes, the interior pools with leaves only. Other pools of a frame (a rack's
// burst buffer) are bars at its foot. Colours show the present state: free, used (by job while at
// most 12 run, else by share), reserved for later; hatched: down, drained, excluded. Every box and
// cell has a tooltip (<title>).
//
// The detail depends on the size; the picture says what a cell represents:
//   all      up to 2,500 units and 80,000 shapes in them: every core and gpu is a cell, everything
//            with an amount (memory) a bar
//   bars     up to 4,000 units: a unit is a box with one bar for each type
//   cells    up to 20,000 units: a unit is one cell, filled by its used share
//   summary  beyond: a cell is a frame (a rack) or several consecutive units, filled by the average
//
// Bounds, for every machine: at most kMachineShapesMax rectangles, counting each cell of a path;
// texts are shortened to their boxes. The same input gives the same bytes.
// Cost: O(pools + pools granted) time, 9 bytes a pool and about 100 bytes a shape.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "copse/engine.hpp"
#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "formats/graph_text.hpp"

namespace copse::draw {

inline constexpr std::uint64_t kMachineShapesMax = 100'000;

// The input. Two lists are not known to the engine: pools that are drained (no new jobs, by an
// operator) or excluded (never given to jobs); both hold for everything below.
struct MachinePicture {
  const ResourceGraph& graph;
  const Engine* engine = nullptr;  // an engine on this graph; null: an idle machine
  std::span<const PoolId> drained{};
  std::span<const PoolId> excluded{};
};

// Errors: not_found (a drained or excluded pool that the graph does not have, or an engine on
// another graph), io (the sink failed).
[[nodiscard]] Result<void> write_machine_svg(const MachinePicture& picture, const TextSink& sink);
// The same, appended to a string.
[[nodiscard]] Result<void> write_machine_svg(const MachinePicture& picture, std::string& out);

}  // namespace copse::draw
