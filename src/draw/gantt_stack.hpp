// SPDX-License-Identifier: Apache-2.0
//
// Schedules of one stream above each other (SVG), over one axis of time: who runs where under each
// discipline, and how many jobs wait. A job has the same colour in all of them.
//
// Cost: as of so many pictures of gantt.hpp.
#pragma once

#include <span>

#include "formats/graph_text.hpp"
#include "plan/comparison.hpp"

namespace copse::draw {

// REQUIRES one schedule at least, and records that kept places. Errors: io, if the sink refused a
// piece.
[[nodiscard]] Result<void> write_gantt_stack_svg(std::span<const plan::Compared> schedules,
                                                 const TextSink& sink);

}  // namespace copse::draw
