// SPDX-License-Identifier: Apache-2.0
//
// Streams of jobs from a file in any format that `copse plan` reads: JSON lines, a trace, or a cluster's
// list or accounting of jobs.
#pragma once

#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "plan/streams/cluster_stream.hpp"
#include "plan/streams/job_reader.hpp"

namespace copse {

// Lines that follow those of a stream: events; after JSON lines, also jobs.
struct MoreLines {
  std::string file, text;
  bool jobs = false;  // it may have jobs; else only events
};

struct JobStreamOptions {
  std::string from{};  // "sacct", "flux" or "swf"; "": recognized by the text
  plan::ReadOptions lines{};
  plan::ClusterStreamOptions cluster{};  // read_job_stream sets the end of the clock
};

// Of a cluster's list, the stream is the waiting jobs; if none waits or runs, all jobs of the list.
// Jobs get what the defaults of `cluster` have for their queues.
// Errors: invalid, limit, not_found (a node), with file and line.
[[nodiscard]] Result<plan::Jobs> read_job_stream(std::string text, const std::string& file,
                                                 const ResourceGraph& graph,
                                                 const std::vector<MoreLines>& more,
                                                 const JobStreamOptions& how);

// Adds the events of further lines to a trace or list, which has none itself. Errors: as above.
[[nodiscard]] Result<void> add_events(plan::Jobs& jobs, const std::vector<MoreLines>& more,
                                      const plan::ReadOptions& how);

}  // namespace copse
