// SPDX-License-Identifier: Apache-2.0
//
// Streams of jobs, of a file of any format that `copse plan` reads: JSON lines, a trace, or the list or
// accounting of a cluster.
#pragma once

#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "plan/streams/cluster_stream.hpp"
#include "plan/streams/job_reader.hpp"

namespace copse {

// Lines behind those of a stream: events; behind JSON lines, jobs as well.
struct MoreLines {
  std::string file, text;
  bool jobs = false;  // it may have jobs; else events alone
};

struct JobStreamOptions {
  std::string from{};  // "sacct", "flux" or "swf"; "": as the text looks
  plan::ReadOptions lines{};
  plan::ClusterStreamOptions cluster{};  // threads and the end of the clock are set here
};

// Lists of a cluster have the jobs that wait; if none waits or runs, all that there were.
// Errors: invalid, limit, not_found (a node), with file and line.
[[nodiscard]] Result<plan::Jobs> read_job_stream(std::string text, const std::string& file,
                                                 const ResourceGraph& graph,
                                                 const std::vector<MoreLines>& more,
                                                 const JobStreamOptions& how);

// Traces and lists have no events of their own: lines beside them have nothing else. Errors: as above.
[[nodiscard]] Result<void> add_events(plan::Jobs& jobs, const std::vector<MoreLines>& more,
                                      const plan::ReadOptions& how);

}  // namespace copse
