// SPDX-License-Identifier: Apache-2.0
//
// JobPlacement: the nodes of a job and its charges to layers, as a value that outlives the grant.
// Nodes are stored by name, because their numbers change when the machine grows.
//
// As JSON: {"nodes": [["node[0-3]", 256], …], "layers": [[3, 5000], …]}: a hostlist and the share
// of each node in 256ths; the number of a layer and an amount.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "copse/engine.hpp"
#include "graph/node_rows.hpp"

namespace copse::server {

struct JobPlacement {
  std::vector<std::pair<std::string, std::uint16_t>> nodes{};  // a hostlist, and a share
  std::vector<LayerCharge> draws{};
  bool operator==(const JobPlacement&) const = default;
};

// Errors: invalid (not a placement).
[[nodiscard]] Result<JobPlacement> read_placement(std::string_view json);

// Writes placements of the jobs of one engine. Thread safety: none.
class PlacementWriter {
 public:
  // O(nodes of the grant); O(machine) after the machine has changed.
  [[nodiscard]] std::string text(const Engine& engine, const Grant& grant);

 private:
  std::unique_ptr<NodeRows> lanes_{};
  const ResourceGraph* graph_ = nullptr;
  std::uint32_t pools_ = 0, removed_ = 0;  // of the graph of lanes_
  std::vector<NodeRange> runs_{};          // scratch
};

}  // namespace copse::server
