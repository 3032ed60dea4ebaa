// SPDX-License-Identifier: Apache-2.0
//
// The answer to `sacct -P` (or -p) as jobs: a line of names, then a line for each job, with '|'
// between the fields.
//
//   sacct -a -X -P -o JobID,User,Partition,Submit,Start,End,Timelimit,NNodes,NCPUS,State
//
// Needed are JobID and Submit. Used are also Start, End, Timelimit or TimelimitRaw (minutes), State,
// User, Partition, Priority, Constraints; for nodes NNodes, AllocNodes or ReqNodes; for cpus
// AllocCPUS, NCPUS or ReqCPUS; for gpus AllocTRES or ReqTRES. Other columns and the steps of jobs
// are skipped. "8_[1-3%2]" are three jobs of an array that wait. Times without a zone are read as
// UTC. A limit of UNLIMITED or Partition_Limit means no limit. Memory is not read. Source:
// sacct(1).
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "formats/cluster_jobs.hpp"

namespace copse {

// True if the first line has '|' and a field JobID. Reads the first 4 KiB only.
[[nodiscard]] bool looks_like_slurm_accounting(std::string_view text);

// Sets whether a job of accounting runs or is over, from its state and its times: "CANCELLED by 1007".
void set_slurm_past_state(ClusterJob& job, std::string_view state);

// Errors, with the line: invalid (also a job that ends before it starts, or starts before it was
// submitted), limit. O(length of the text).
[[nodiscard]] Result<ClusterJobs> read_slurm_accounting(std::string_view text,
                                                        std::string_view file = {});

}  // namespace copse
