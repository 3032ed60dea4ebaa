// SPDX-License-Identifier: Apache-2.0
//
// A schedule of few jobs: a rectangle for each run of neighbouring nodes.
#pragma once

#include "draw/gantt_scale.hpp"
#include "draw/svg_canvas.hpp"

namespace copse::draw {

void draw_runs(SvgCanvas& canvas, const GanttScale& scale);

}  // namespace copse::draw
