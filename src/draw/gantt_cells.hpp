// SPDX-License-Identifier: Apache-2.0
//
// A schedule of many jobs: cells of a few nodes over an interval. One path per colour and shade;
// neighbours are one line, as thick as a row or a column.
#pragma once

#include "draw/gantt_scale.hpp"
#include "draw/svg_canvas.hpp"

namespace copse::draw {

inline constexpr std::size_t kShades = 3;  // classes s0 … s2

void draw_cells(SvgCanvas& canvas, const GanttScale& scale);

}  // namespace copse::draw
