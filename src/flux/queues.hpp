// SPDX-License-Identifier: Apache-2.0
//
// The queues of an instance: what a configuration says of them, and which one a job is in.
#pragma once

#include <string>
#include <vector>

#include "queue/config/queue_config.hpp"
#include "queue/job_queue.hpp"

namespace copse::flux {

// One, easy, where the configuration names none.
[[nodiscard]] std::vector<queue::QueueSpec> queue_specs(const queue::QueueConfig& queues);

// The queue that a job is in which names this one: with several queues, or a named one, each job
// must name one. Where there is one without a name, others are taken for it, unless
// `no_foreign_queues`. Errors: not_found.
[[nodiscard]] Result<std::string> queue_named(queue::JobQueue& queues, const std::string& name,
                                              bool no_foreign_queues);

// Sets disciplines and depths. Errors, all as it was: unsupported (other queues than there are now).
[[nodiscard]] Result<void> change_queues(queue::JobQueue& queues, const queue::QueueConfig& to);

}  // namespace copse::flux
