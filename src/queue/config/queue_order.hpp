// SPDX-License-Identifier: Apache-2.0
//
// The order in which queues with waiting jobs of their own are served: by their priorities
// (queue-priority-per-queue), and by name where these are equal.
#pragma once

#include <optional>
#include <string>

#include "copse/graph.hpp"
#include "queue/config/queue_config.hpp"

namespace copse::queue {

// A warning where only names decide which of two queues gets a node first: they share it, and have
// the same priority. None: the configuration decides everywhere. O(queues · nodes).
[[nodiscard]] std::optional<std::string> order_by_names(const QueueConfig& config,
                                                        const ResourceGraph& graph);

}  // namespace copse::queue
