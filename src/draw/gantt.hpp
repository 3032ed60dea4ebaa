// SPDX-License-Identifier: Apache-2.0
//
// A schedule as a picture (SVG): nodes over time, and below them how many are in use and how many
// jobs wait.
//
// Up to kRectanglesMax rectangles, each run of neighbouring nodes of a job is one, with its name
// where there is room, and a tooltip; jobs that share nodes stand in thinner lines of their row. A
// red bar ends a job that was killed, cancelled, failed or was put back into the queue.
// Beyond that the chart is summarized: a cell is a few nodes over some time, in the colour of the
// job that has the most of it, paler where it is partly idle.
//
// A job's colour depends on its place in the stream alone, so that it is found again where another
// discipline or policy ran the same stream.
// Cost: O(rectangles), summarized O(cells + what jobs cover of them).
#pragma once

#include <string_view>

#include "formats/graph_text.hpp"
#include "plan/record.hpp"

namespace copse::draw {

inline constexpr std::uint64_t kRectanglesMax = 3000;

// REQUIRES a record that kept places. Errors: io, if the sink refused a piece.
[[nodiscard]] Result<void> write_gantt_svg(const plan::Record& record, std::string_view discipline,
                                           const TextSink& sink);

}  // namespace copse::draw
