// SPDX-License-Identifier: Apache-2.0
//
// Checks of a configuration of queues against a machine.
#pragma once

#include "copse/graph.hpp"
#include "queue/config/queue_config.hpp"

namespace copse::queue {

// Checks that the machine has all nodes that queues name. Errors: not_found, with the place.
// O(pools).
[[nodiscard]] Result<void> check_hosts(const QueueConfig& config, const ResourceGraph& graph);
// Checks that each property that queues require is a property of some node. Errors: not_found, with
// the queue. O(queues · pools).
[[nodiscard]] Result<void> check_requires(const QueueConfig& config, const ResourceGraph& graph);

}  // namespace copse::queue
