// SPDX-License-Identifier: Apache-2.0
//
// The queues of an instance: their configuration, and the queue of a job.
#pragma once

#include <string>
#include <vector>

#include "queue/config/queue_config.hpp"
#include "queue/job_queue.hpp"

namespace copse::flux {

// The configured queues; without any, one with the discipline easy.
[[nodiscard]] std::vector<queue::QueueSpec> queue_specs(const queue::QueueConfig& queues);

// The queue of a job that names `name`. With several queues, or a named one, each job must name its
// queue. An instance with one unnamed queue puts all jobs into it; with `no_foreign_queues`, only
// those that name no queue. Errors: not_found.
[[nodiscard]] Result<std::string> queue_named(queue::JobQueue& queues, const std::string& name,
                                              bool no_foreign_queues);

// Sets disciplines and depths. Errors, with nothing changed: unsupported (queues were added or removed).
[[nodiscard]] Result<void> change_queues(queue::JobQueue& queues, const queue::QueueConfig& to);

}  // namespace copse::flux
