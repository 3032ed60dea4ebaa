// SPDX-License-Identifier: Apache-2.0
//
// The coordinates of the frames and units of a machine's picture.
#pragma once

#include <span>

#include "draw/machine/machine_plan.hpp"

namespace copse::draw {

// Places every box, with the root's corner at (0, 0).
void lay_out(MachinePlan& plan, const MachineUse& use);

// Heights of the name line at the top of a frame, and of a bar at its foot.
[[nodiscard]] constexpr double frame_label_height() { return 14; }
[[nodiscard]] constexpr double frame_bar_height() { return 11; }

// Puts boxes into rows from the left, so that the whole has about this `aspect` (width : height).
// Returns the whole. O(boxes · log boxes).
[[nodiscard]] Box shelve(std::span<Box* const> boxes, double gap, double aspect);

}  // namespace copse::draw
