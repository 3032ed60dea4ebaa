// SPDX-License-Identifier: Apache-2.0
//
// The queues as Fluxion's module sched-fluxion-qmanager reports them.
#pragma once

#include <map>
#include <string>

#include "flux/scheduler.hpp"

namespace copse::flux {

// The options of queues as the user gave them; empty: not given.
struct QueueParams {
  struct Text {
    std::string queue, policy;
  };
  std::string policy{"fcfs"};
  Text all{};
  std::map<std::string, Text> of_queue{};  // queues with options of their own
};

// {"stats": {"queues": {NAME: …}}, "params": {"params": …}}: the answers to stats-get and params. A
// queue without a name is "default"; virtual queues count for their parents. Counts begin when the
// scheduler is made. O(jobs).
[[nodiscard]] std::string queue_text(Scheduler& scheduler, const QueueParams& params);

}  // namespace copse::flux
