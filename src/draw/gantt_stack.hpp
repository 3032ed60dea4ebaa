// SPDX-License-Identifier: Apache-2.0
//
// Schedules of one stream above each other (SVG), over one time axis: the jobs under each
// discipline, and the number of waiting jobs. A job has the same colour in all of them.
//
// Cost: as one picture of gantt.hpp per schedule.
#pragma once

#include <span>

#include "formats/graph_text.hpp"
#include "plan/comparison.hpp"

namespace copse::draw {

// REQUIRES at least one schedule, and records that kept their nodes. Errors: io, if the sink
// failed.
[[nodiscard]] Result<void> write_gantt_stack_svg(std::span<const plan::Compared> schedules,
                                                 const TextSink& sink);

}  // namespace copse::draw
