// SPDX-License-Identifier: Apache-2.0
//
// A schedule as the table of jobs that Batsim writes and evalys reads: CSV (RFC 4180, lines end with
// a newline alone), a line for each job, in the order of starts; then those that never started.
//
// Each column has values of one type, and is empty where there is none, so that the table is a
// Parquet file without further rules. Resources are nodes, by their numbers in the machine from 0
// on, as Batsim writes sets of intervals: "0-3 7". Of a job that was requeued only the last start
// is there. profile is the number of what the job asks for: those with the same one ask alike.
#pragma once

#include <span>
#include <string_view>

#include "formats/graph_text.hpp"
#include "plan/record.hpp"

namespace copse::plan {

// One schedule of several in a table: what its rows have as workload_name.
struct CsvPart {
  const Record& record;
  std::string_view workload = "stream";
};
// One after the other, below one header. REQUIRES records that kept places. Errors: io, if the sink
// refused a piece. O(jobs + places).
[[nodiscard]] Result<void> write_jobs_csv(std::span<const CsvPart> parts, const TextSink& sink);

}  // namespace copse::plan
