// SPDX-License-Identifier: Apache-2.0
//
// A schedule in Chrome's trace event format (JSON), for ui.perfetto.dev and chrome://tracing: a
// track per node, a slice for each job on it, also for jobs outside the stream, and counters of the
// use and of waiting jobs.
//
// A second is a second. Jobs that share a node have a track each, "node3 · 2". If the nodes of all
// jobs are more than kSlicesMax, a slice is a range of nodes, on the track of the first
// one.
#pragma once

#include "formats/graph_text.hpp"
#include "plan/record.hpp"

namespace copse::plan {

inline constexpr std::uint64_t kSlicesMax = 200'000;

// REQUIRES a record that kept its nodes. Errors: io, if the sink failed.
//
[[nodiscard]] Result<void> write_trace_json(const Record& record, const TextSink& sink);

}  // namespace copse::plan
