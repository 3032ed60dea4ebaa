// SPDX-License-Identifier: Apache-2.0
//
// job_resources of a job of Slurm: what it has of each of its nodes.
//
//   {"nodes": {"whole": false, "allocation": [{"name": "cn1", "cpus": {"count": 8},
//     "memory": {"allocated": 4096},
//     "sockets": [{"index": 0, "cores": [{"index": 3, "status": ["ALLOCATED"]}]}]}]},
//    "threads_per_core": {"set": true, "infinite": false, "number": 1}}
//
// and before 23.11
//
//   {"nodes": "cn1", "allocated_nodes": [{"nodename": "cn1", "cpus_used": 8,
//     "memory_allocated": 4096, "sockets": {"0": {"cores": {"3": "allocated"}}}}]}
#pragma once

#include <vector>

#include "formats/cluster_jobs.hpp"
#include "text/json_walk.hpp"

namespace copse {

// Reads the value of job_resources into shares, in the order of the text. False once something was
// refused.
[[nodiscard]] bool read_slurm_shares(JsonWalk& walk, JsonWalk::Value& value,
                                     const JsonWalk::Token& token, std::vector<NodeShare>& out);

}  // namespace copse
