// SPDX-License-Identifier: Apache-2.0
//
// A schedule as a picture (SVG): nodes over time, and below them the use of nodes and the number of
// waiting jobs.
//
// Up to kRectanglesMax rectangles, each range of neighbouring nodes of a job is one, with a
// tooltip, and its name if it fits. Jobs that share nodes are thinner lines of their row. A red bar
// ends a job that was killed, cancelled, requeued, or failed.
// Beyond that the chart is summarized: a cell is a few nodes over an interval, in the colour of the
// job with the largest part, paler where it is partly idle.
//
// The colour of a job depends on its position in the stream only, so it is the same under another
// discipline or policy.
// Cost: O(rectangles), summarized O(cells + cells that jobs cover).
#pragma once

#include <string_view>

#include "formats/graph_text.hpp"
#include "plan/record.hpp"

namespace copse::draw {

inline constexpr std::uint64_t kRectanglesMax = 3000;

// REQUIRES a record that kept its nodes. Errors: io, if the sink failed.
[[nodiscard]] Result<void> write_gantt_svg(const plan::Record& record, std::string_view discipline,
                                           const TextSink& sink);

}  // namespace copse::draw
