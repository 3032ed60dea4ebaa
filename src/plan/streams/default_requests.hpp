// SPDX-License-Identifier: Apache-2.0
//
// Gives the requests of a stream what the queues of its jobs have for requests that do not say it
// (request/request_defaults.hpp). Not for the lists of clusters: their CPUs are known, and a list may say
// that a job has no memory.
#pragma once

#include "plan/job.hpp"
#include "queue/config/queue_defaults.hpp"

namespace copse::plan {

// Jobs of a queue that gives whole nodes keep their request if it names no nodes; a remark counts them.
// Errors: limit (kRequestsMax). O(jobs · log(requests · queues) + requests · queues).
[[nodiscard]] Result<void> add_queue_defaults(Jobs& jobs, const queue::QueueDefaults& defaults);

}  // namespace copse::plan
