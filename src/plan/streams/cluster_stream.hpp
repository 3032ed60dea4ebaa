// SPDX-License-Identifier: Apache-2.0
//
// The waiting jobs of a cluster as a stream: the output of `squeue --json` or `flux jobs --json`.
//
// Time 0 is when the list was made. A job is submitted then, or when it becomes eligible, and runs
// as long as its limit. These parts of its request are used:
//   whole nodes              if it excludes other jobs, or requests nodes only
//   cores on each node       cpus over nodes, converted by the nodes that it may get; if these have
//                            different cpus, the cores that most of them can give, without nodes on
//                            which that is too little
//   gpus on each node        where nodes have sockets, of several sockets if `several_slots`; else
//                            equal slots of cores and gpus that fit into sockets, with some cores
//                            more if necessary
//   constraint               its partition or queue, if some node has that property, features joined
//                            by '&' or by '|', and nodes that it names or excludes
//   memory of each node      its own, else what the defaults have for its queue
//   licenses                 those that `resources` has
//   its dependencies         it follows the jobs that it waits for; a held job never starts unless an
//                            event releases it (cluster_waits.hpp)
// Jobs without a limit, and jobs with other features or dependencies, are skipped and counted.
// Jobs::remarks lists other parts that have no effect.
#pragma once

#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "formats/cluster_jobs.hpp"
#include "plan/job.hpp"
#include "queue/config/job_defaults.hpp"

namespace copse::plan {

struct ClusterStreamOptions {
  bool several_slots = false;  // the traverser can match slots of two kinds below one node
  std::vector<std::string> resources{};  // hierarchical resources, by name
  bool reservations = false;             // reservations are described; else their jobs are left out
  bool running = true;                   // running jobs are known, from this list or another
  bool queues = false;                   // queues are described, with their nodes
  queue::JobDefaults defaults{};         // of jobs that ask for no memory, or for shared nodes
  std::int64_t clock_end_s = INT64_MAX;
  std::size_t jobs_max = kJobsMax;
};

// Errors: limit. O(jobs + pools).
[[nodiscard]] Result<Jobs> waiting_jobs(const ClusterJobs& list, const ResourceGraph& graph,
                                        const ClusterStreamOptions& options = {});

// The jobs of accounting (`sacct -P`, `flux jobs -a --json`), to be run again from the first
// submission. Ended jobs have their real run time; they request their limit or, without one, that
// time. Others run as long as their limit. Jobs that never ran are skipped as well.
[[nodiscard]] Result<Jobs> past_jobs(const ClusterJobs& list, const ResourceGraph& graph,
                                     const ClusterStreamOptions& options = {});

}  // namespace copse::plan
