// SPDX-License-Identifier: Apache-2.0
//
// The jobs of a cluster that wait, as a stream: what `squeue --json` or `flux jobs --json` lists.
//
// Time 0 is when the list was made: a job is submitted then, or when it becomes eligible. It runs
// as long as its limit. Of what it asks for,
//   whole nodes              if it wants nobody beside it, or says nodes only
//   cores on each node       cpus over nodes; hardware threads are counted as cores by `threads`
//   gpus on each node        where nodes have sockets, of several sockets if `several_slots`; else
//                            equal slots of cores and gpus that fit into sockets, if need be with
//                            some cores more
//   constraint               its partition or queue, if some node has that property, features joined
//                            by '&' or by '|', and nodes that it names or excludes
//   licenses                 those that `resources` has
//   its place in the stream  after the jobs that it waits for; a held one never starts unless an
//                            event releases it (cluster_waits.hpp)
// Jobs without a limit, and those with other features or dependencies, are passed over and counted.
// Jobs::remarks says what else does not count.
#pragma once

#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "formats/cluster_jobs.hpp"
#include "plan/job.hpp"

namespace copse::plan {

struct ClusterStreamOptions {
  std::int64_t threads = 1;    // of a core
  bool several_slots = false;  // the traverser can match slots of two kinds below one node
  std::vector<std::string> resources{};  // hierarchical ones, by name
  bool reservations = false;             // reservations are described; else their jobs are left out
  bool running = true;                   // jobs that run are known, from this list or another
  bool queues = false;                   // queues are described: they say which nodes they have
  std::int64_t clock_end_s = INT64_MAX;
  std::size_t jobs_max = kJobsMax;
};

// Errors: limit. O(jobs + pools).
[[nodiscard]] Result<Jobs> waiting_jobs(const ClusterJobs& list, const ResourceGraph& graph,
                                        const ClusterStreamOptions& options = {});

// The jobs of accounting (`sacct -P`, `flux jobs -a --json`), to be run again from the first
// submission on. Those that are over take as long as they took, and ask for their limit or, without
// one, for that; others take as long as their limit. Those that never ran are passed over as well.
[[nodiscard]] Result<Jobs> past_jobs(const ClusterJobs& list, const ResourceGraph& graph,
                                     const ClusterStreamOptions& options = {});

}  // namespace copse::plan
