// SPDX-License-Identifier: Apache-2.0
//
// The header of a machine's picture: its name, facts, jobs, and the legend of colours.
#pragma once

#include <span>

#include "draw/machine/machine_words.hpp"
#include "draw/svg_canvas.hpp"

namespace copse::draw {

// Begins the picture and draws its header. Returns the corner at which the machine begins.
// `base_used`: the used share of each base unit. O(pools).
[[nodiscard]] SvgCanvas::Corner draw_header(SvgCanvas& canvas, const MachineUse& use,
                                            const MachinePlan& plan, const MachineWords& words,
                                            std::span<const float> base_used);

}  // namespace copse::draw
