// SPDX-License-Identifier: Apache-2.0
//
// JobStay: where a job ran and what it drew, as a value that outlives its grant: nodes by name, since
// places and numbers of nodes change when a machine grows.
//
// As JSON: {"nodes": [["node[0-3]", 256], …], "layers": [[3, 5000], …]}: a hostlist and the share of
// each of its nodes, of 256; the number of a layer and an amount.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "copse/engine.hpp"
#include "plan/node_rows.hpp"

namespace copse::server {

struct JobStay {
  std::vector<std::pair<std::string, std::uint16_t>> nodes{};  // a hostlist, and a share
  std::vector<LayerCharge> draws{};
  bool operator==(const JobStay&) const = default;
};

// Errors: invalid: it is no such text.
[[nodiscard]] Result<JobStay> read_stay(std::string_view json);

// Writes stays of the jobs of one engine. Thread safety: none.
class StayWriter {
 public:
  // O(nodes of the grant); O(machine) when the machine is another one than the last time.
  [[nodiscard]] std::string text(const Engine& engine, const Grant& grant);

 private:
  std::unique_ptr<plan::NodeRows> lanes_{};
  const ResourceGraph* graph_ = nullptr;
  std::uint32_t pools_ = 0, removed_ = 0;  // of the graph that lanes_ is of
  std::vector<plan::NodeRange> runs_{};    // scratch
};

}  // namespace copse::server
