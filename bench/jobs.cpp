// SPDX-License-Identifier: Apache-2.0
#include "jobs.hpp"

#include <fmt/format.h>

namespace copse::bench {

namespace {

std::string jobspec(const std::string& resource, std::int64_t duration_s) {
  return fmt::format(R"(version: 9999
resources:
  - {}
tasks:
  - command: ["app"]
    slot: task
    count:
      per_slot: 1
attributes:
  system:
    duration: {}
)",
                     resource, duration_s);
}

}  // namespace

std::string cores_in_node(std::int64_t cores, std::int64_t duration_s, std::int64_t nodes) {
  return jobspec(fmt::format("{{type: node, count: {}, with: [{{type: slot, count: 1, label: task, "
                             "with: [{{type: core, count: {}}}]}}]}}",
                             nodes, cores),
                 duration_s);
}

std::string core_and_memory(std::int64_t memory, std::int64_t duration_s) {
  return jobspec(fmt::format("{{type: node, count: 1, with: [{{type: slot, count: 1, label: task, "
                             "with: [{{type: core, count: 1}}, {{type: memory, count: {}}}]}}]}}",
                             memory),
                 duration_s);
}

std::string cores_in_node_json(std::int64_t cores, std::int64_t duration_s) {
  return fmt::format(
      R"({{"version": 9999, "resources": [{{"type": "node", "count": 1, "with": [)"
      R"({{"type": "slot", "count": 1, "label": "task", "with": [)"
      R"({{"type": "core", "count": {}}}]}}]}}], )"
      R"("tasks": [{{"command": ["app"], "slot": "task", "count": {{"per_slot": 1}}}}], )"
      R"("attributes": {{"system": {{"duration": {}}}}}}})",
      cores, duration_s);
}

std::string whole_nodes(std::int64_t slots, std::int64_t cores, std::int64_t duration_s) {
  return jobspec(fmt::format("{{type: slot, count: {}, label: task, with: [{{type: node, count: 1, "
                             "with: [{{type: core, count: {}}}]}}]}}",
                             slots, cores),
                 duration_s);
}

std::string cores_and_gpus(std::int64_t cores, std::int64_t gpus, std::int64_t duration_s) {
  return jobspec(fmt::format("{{type: node, count: 1, with: [{{type: slot, count: 1, label: task, "
                             "with: [{{type: core, count: {}}}, {{type: gpu, count: {}}}]}}]}}",
                             cores, gpus),
                 duration_s);
}

std::string two_kinds_in_one_rack(std::int64_t duration_s) {
  return jobspec(
      "{type: cluster, count: 1, with: [{type: rack, count: 1, with: ["
      "{type: slot, count: 2, label: task, with: [{type: node, count: 1, with: ["
      "{type: socket, count: 2, with: [{type: core, count: 18}, {type: gpu, count: 1}, "
      "{type: memory, count: 32}]}, {type: bb, count: 768}]}]}, "
      "{type: node, count: 1, with: [{type: slot, count: 2, label: small, with: ["
      "{type: socket, count: 1, with: [{type: core, count: 2}]}]}]}]}]}",
      duration_s);
}

std::string cores_beside_gpus(std::int64_t cores, std::int64_t gpus, std::int64_t duration_s) {
  const auto node = [](const char* type, std::int64_t count) {
    return fmt::format(
        "{{type: node, count: 1, with: [{{type: slot, count: 1, label: task, "
        "with: [{{type: {}, count: {}}}]}}]}}",
        type, count);
  };
  return jobspec(node("core", cores) + "\n  - " + node("gpu", gpus), duration_s);
}

}  // namespace copse::bench
