// SPDX-License-Identifier: Apache-2.0
//
// What `copse serve --check` prints: what it has read of the machine and of the queues, and which parts
// of the files have no effect.
#pragma once

#include <string>

#include "copse/engine.hpp"
#include "queue/config/queue_config.hpp"

namespace copse {

// Lines of two columns:
//
//   nodes    4
//   cores    32
//   layers   licence: 10 on node[0-3]
//   queues   batch: easy, 4 nodes
//   ignored  sched-fluxion-resource.match-policy in queues.toml
//
// `file`: that of the queues; "": none.
[[nodiscard]] std::string check_report(const Engine& engine, const queue::QueueConfig& queues,
                                       const std::string& file);

}  // namespace copse
