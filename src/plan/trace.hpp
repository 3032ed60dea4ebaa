// SPDX-License-Identifier: Apache-2.0
//
// A schedule in the trace event format of Chrome (JSON), which ui.perfetto.dev and chrome://tracing
// load: a track for each node, a slice for each job on it, also for those that ran before the stream,
// counters of what is in use and waits.
//
// A second is a second. Jobs that share a node have a track each, "node3 · 2". Where all nodes of
// all jobs together are more than kSlicesMax, a slice stands for a run of neighbouring nodes, on
// the track of the first one.
#pragma once

#include "formats/graph_text.hpp"
#include "plan/record.hpp"

namespace copse::plan {

inline constexpr std::uint64_t kSlicesMax = 200'000;

// REQUIRES a record that kept places. Errors: io, if the sink refused a piece.
[[nodiscard]] Result<void> write_trace_json(const Record& record, const TextSink& sink);

}  // namespace copse::plan
