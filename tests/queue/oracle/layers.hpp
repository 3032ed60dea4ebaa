// SPDX-License-Identifier: Apache-2.0
//
// The layers of the oracle: counts over sets of nodes. A job charges licences once, to the count of
// the whole machine, and power for each of its nodes, to every count over that node.
#pragma once

#include <cstdint>
#include <vector>

namespace copse::queue_oracle {

struct Layer {
  std::int64_t count = 0;
  std::vector<int> nodes{};  // of power; none: licences, of all nodes
};

// By layer.
using Drawn = std::vector<std::int64_t>;

class Layers {
 public:
  Layers() = default;
  explicit Layers(std::vector<Layer> layers) : layers_(std::move(layers)) {}

  [[nodiscard]] Drawn none() const { return Drawn(layers_.size(), 0); }
  // Adds the charges of a job for all its nodes; false if they do not fit.
  [[nodiscard]] bool draw_licences(Drawn& drawn, const Drawn& taken, std::int64_t licences) const;
  // The same for one of its nodes.
  [[nodiscard]] bool draw_power(Drawn& drawn, const Drawn& taken, int node,
                                std::int64_t power) const;
  void give_back(Drawn& drawn, int node, std::int64_t power) const;
  // Whether the same layers count power of both nodes.
  [[nodiscard]] bool same_power(int a, int b) const;
  // Whether some layer has less than both together.
  [[nodiscard]] bool too_much(const Drawn& drawn, const Drawn& taken) const;

 private:
  std::vector<Layer> layers_;
};

}  // namespace copse::queue_oracle
