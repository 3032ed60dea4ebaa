// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle/layers.hpp"

#include <algorithm>

namespace copse::queue_oracle {

bool Layers::same_power(int a, int b) const {
  return std::ranges::all_of(layers_, [&](const Layer& layer) {
    return std::ranges::count(layer.nodes, a) == std::ranges::count(layer.nodes, b);
  });
}

bool Layers::too_much(const Drawn& drawn, const Drawn& taken) const {
  for (std::size_t n = 0; n < layers_.size(); ++n) {
    if (drawn[n] > 0 && drawn[n] + taken[n] > layers_[n].count) return true;
  }
  return false;
}

bool Layers::draw_licences(Drawn& drawn, const Drawn& taken, std::int64_t licences) const {
  for (std::size_t n = 0; n < layers_.size(); ++n) {
    if (layers_[n].nodes.empty()) drawn[n] += licences;
  }
  return !too_much(drawn, taken);
}

bool Layers::draw_power(Drawn& drawn, const Drawn& taken, int node, std::int64_t power) const {
  Drawn with = drawn;
  for (std::size_t n = 0; n < layers_.size(); ++n) {
    if (std::ranges::count(layers_[n].nodes, node) > 0) with[n] += power;
  }
  if (too_much(with, taken)) return false;
  drawn = with;
  return true;
}

void Layers::give_back(Drawn& drawn, int node, std::int64_t power) const {
  for (std::size_t n = 0; n < layers_.size(); ++n) {
    if (std::ranges::count(layers_[n].nodes, node) > 0) drawn[n] -= power;
  }
}

}  // namespace copse::queue_oracle
