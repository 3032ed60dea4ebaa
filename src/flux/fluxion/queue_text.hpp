// SPDX-License-Identifier: Apache-2.0
//
// What Fluxion's module sched-fluxion-qmanager says of its queues.
#pragma once

#include <string>

#include "flux/scheduler.hpp"

namespace copse::flux {

// The options of the queues as they were given; empty: not at all.
struct QueueParams {
  std::string policy{"fcfs"}, queue_params, policy_params;
};

// {"stats": {"queues": {NAME: …}}, "params": {"params": …}}: what stats-get and params answer. A
// queue without a name is "default". O(jobs).
[[nodiscard]] std::string queue_text(Scheduler& scheduler, const QueueParams& params);

}  // namespace copse::flux
