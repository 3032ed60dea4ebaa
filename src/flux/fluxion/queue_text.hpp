// SPDX-License-Identifier: Apache-2.0
//
// What Fluxion's module sched-fluxion-qmanager says of its queues.
#pragma once

#include <map>
#include <string>

#include "flux/scheduler.hpp"

namespace copse::flux {

// The options of the queues as they were given; empty: not at all.
struct QueueParams {
  struct Text {
    std::string queue, policy;
  };
  std::string policy{"fcfs"};
  Text all{};
  std::map<std::string, Text> of_queue{};  // where a queue has its own
};

// {"stats": {"queues": {NAME: …}}, "params": {"params": …}}: what stats-get and params answer. A
// queue without a name is "default"; virtual queues are part of their parents. Counts are of all
// that happened since the scheduler was made. O(jobs).
[[nodiscard]] std::string queue_text(Scheduler& scheduler, const QueueParams& params);

}  // namespace copse::flux
