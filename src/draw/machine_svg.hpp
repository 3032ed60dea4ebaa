// SPDX-License-Identifier: Apache-2.0
//
// A machine as a picture (SVG 1.1): racks as boxes, nodes in them, and what of each is in use.
//
// Layout follows the dominant tree, as one would look at a machine room. *Frames* are the pools
// with nodes below them (cluster, rack, chassis): boxes that hold what is below. *Units* are the
// nodes; in a machine without nodes, the interior pools that have only leaves below. What stands in
// a frame beside them (a rack's burst buffer) is a bar at the frame's foot. Colours show the
// present moment: free, used (by job while at most 12 run, else by how much), reserved for later;
// hatched: down, drained, excluded. Every box and cell says more when pointed at (<title>).
//
// Detail is chosen by size; the picture says in words what one cell stands for:
//   all      up to 2,500 units and 80,000 shapes in them: every core and gpu is a cell, everything
//            with an amount (memory) a bar
//   bars     up to 4,000 units: a unit is a box with one bar for each type
//   cells    up to 20,000 units: a unit is one cell, filled as far as it is used
//   summary  beyond: a cell is a frame (a rack) or some consecutive units, filled by their average
//
// Bounds, whatever the machine: at most kMachineShapesMax rectangles, cells of a path counted one
// by one; texts are shortened to the box that they stand in. The same input gives the same bytes.
// Cost: O(pools + what is granted) time, 9 bytes a pool and about 100 bytes a shape.
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

// What is to be drawn. What the engine does not know is handed in: pools that are drained (no new
// jobs, on somebody's word) or excluded (never given to jobs); both hold for all that is below.
struct MachinePicture {
  const ResourceGraph& graph;
  const Engine* engine = nullptr;  // an engine on this graph; null: an idle machine
  std::span<const PoolId> drained{};
  std::span<const PoolId> excluded{};
};

// Errors: not_found (a drained or excluded pool that the graph does not have, or an engine on
// another graph), io (the sink refused a piece).
[[nodiscard]] Result<void> write_machine_svg(const MachinePicture& picture, const TextSink& sink);
// The same, appended to a string.
[[nodiscard]] Result<void> write_machine_svg(const MachinePicture& picture, std::string& out);

}  // namespace copse::draw
