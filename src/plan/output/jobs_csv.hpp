// SPDX-License-Identifier: Apache-2.0
//
// A schedule as the table of jobs that Batsim writes and evalys reads: CSV (RFC 4180, with lines
// that end in a newline only). It has a line per job, in the order of starts; then the jobs that
// never started.
//
// Each column has values of one type, and is empty where there is none, so the table can be read as
// a Parquet file without further rules. Resources are nodes, by their numbers in the machine from
// 0, in Batsim's notation of intervals: "0-3 7". A job that was requeued has only its last start.
// profile is the number of the request; equal requests have the same one.
#pragma once

#include <span>
#include <string_view>

#include "formats/graph_text.hpp"
#include "plan/record.hpp"

namespace copse::plan {

// One of several schedules in a table: its rows have this workload_name.
struct CsvPart {
  const Record& record;
  std::string_view workload = "stream";
};
// Writes all parts below one header. REQUIRES records that kept their nodes. Errors: io, if the
// sink failed. O(jobs + ranges).
[[nodiscard]] Result<void> write_jobs_csv(std::span<const CsvPart> parts, const TextSink& sink);

}  // namespace copse::plan
