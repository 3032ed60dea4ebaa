// SPDX-License-Identifier: Apache-2.0
//
// The queues of a World, read from the file that a site would write.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "queue/config/queue_config.hpp"
#include "queue/world_parts.hpp"

namespace copse::queue {

// The queues as a site configures them, where Copse reads TOML.
inline std::vector<QueueSpec> configured(const World& world) {
  std::string queues;
  std::map<std::string, std::string> scheduler;
  for (const QueueWorld& queue : world.queues) {
    const auto add = [&](const std::string& key, const std::string& value) {
      const bool named = !queue.name.empty();
      scheduler[named ? key + "-per-queue" : key] += named ? queue.name + ":" + value + " " : value;
    };
    if (!queue.name.empty()) queues += "[queues." + queue.name + "]\n";
    if (queue.among.first >= 0) {
      queues += "hosts = \"node[" + std::to_string(queue.among.first) + "-" +
                std::to_string(queue.among.last) + "]\"\n";
    }
    if (queue.among.fast) queues += "requires = [\"fast\"]\n";
    if (queue.parent >= 0) {
      queues += "parent = \"" + world.queues[static_cast<std::size_t>(queue.parent)].name + "\"\n";
      continue;
    }
    add("queue-policy", queue.discipline);
    add("policy-params", "reservation-depth=" + std::to_string(queue.reservation_depth));
    std::string depths;
    if (queue.depth != SIZE_MAX) depths = "queue-depth=" + std::to_string(queue.depth);
    if (queue.depth_max != SIZE_MAX) {
      depths +=
          (depths.empty() ? "" : ",") + ("max-queue-depth=" + std::to_string(queue.depth_max));
    }
    if (!depths.empty()) add("queue-params", depths);
  }
  // A queue without a name has no table.
  if (world.queues[0].name.empty() && !queues.empty()) return specs_of(world);
  std::string text = queues + "[sched-copse]\n";
  for (const auto& [key, value] : scheduler) text += key + " = \"" + value + "\"\n";
  auto config = read_queue_config(text, "world.toml");
  if (!config && config.error().code == ErrorCode::unsupported) return specs_of(world);
  EXPECT_TRUE(config) << text << config.error().text;
  return config ? config->queues : specs_of(world);
}

}  // namespace copse::queue
