// SPDX-License-Identifier: Apache-2.0
//
// JobDefaults: what jobs have that do not say it (RFC 33, *policy.jobspec.defaults.system*).
//
//   [policy.jobspec.defaults.system]               # of all queues
//   queue = "batch"
//   duration = "1h"
//   [queues.debug.policy.jobspec.defaults.system]  # of one queue instead
//   duration = "10m"
//   memory-per-cpu = 4000                          # in MB; or memory-per-node
//   whole-nodes = true                             # its jobs share no node
//
// Hosts that accept jobs apply them: those of memory and of whole nodes by queue/config/queue_defaults.hpp,
// or for the jobs of the lists of clusters by plan/streams/cluster_stream.hpp. Flux itself applies its own
// for its scheduler; it has no memory and no whole nodes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/known_key.hpp"

namespace copse::queue {

inline constexpr std::array<KnownKey, 5> kDefaultKeys{{{"queue", KnownKey::kText},
                                                       {"duration", KnownKey::kTime},
                                                       {"memory-per-cpu", KnownKey::kNumber},
                                                       {"memory-per-node", KnownKey::kNumber},
                                                       {"whole-nodes", KnownKey::kTruth}}};

// Of a job that asks for no memory. At most one of them is above 0.
struct DefaultMemory {
  std::int64_t of_cpu_mb = 0, of_node_mb = 0;
};

struct JobDefaults {
  template <class Value>
  using ByQueue = std::map<std::string, Value, std::less<>>;  // "": of all queues

  std::string queue{};  // "": none
  ByQueue<std::int64_t> duration_s{};
  ByQueue<DefaultMemory> memory{};
  ByQueue<bool> whole_nodes{};

  // What a queue has, or all queues; else Value{}.
  template <class Value>
  [[nodiscard]] static Value of(const ByQueue<Value>& values, std::string_view queue_name) {
    auto at = values.find(queue_name);
    if (at == values.end()) at = values.find("");
    return at == values.end() ? Value{} : at->second;
  }
  // 0: none.
  [[nodiscard]] std::int64_t duration_of(std::string_view of_queue) const {
    return of(duration_s, of_queue);
  }
};

}  // namespace copse::queue
