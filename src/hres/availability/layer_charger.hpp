// SPDX-License-Identifier: Apache-2.0
//
// LayerCharger: computes the charges of layers for chosen nodes.
//
// In mode 1 the sufficient layer of lowest rank is charged for the need once, in mode 2 every layer
// over some node, in mode 3 each layer for all nodes below it.
//
// Cost: O(nodes · needs + layers touched). Size: 8 bytes per layer and per class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hres/availability/layer_availability.hpp"

namespace copse {

class LayerCharger {
 public:
  LayerCharger(const ResourceGraph& graph, const HresTable& hres)
      : graph_(graph), hres_(hres), granted_(graph, hres) {}

  // Appends the charges for the needs of `availability` and these nodes. False, and nothing
  // appended: some layer has too little, or there are no nodes.
  bool charge(LayerAvailability& availability, std::span<const PoolId> nodes,
              std::vector<LayerCharge>& out);

  // Recomputes the charges after the nodes of a grant, or the layers over them, have changed: in
  // modes 2 and 3 all; in mode 1 the same layer is charged, if it still exists.
  void recompute_charges(std::span<const PoolId> nodes, GrantCharges& charges);
  // Appends a charge for each need of mode 1 that has none: to the layer of lowest rank over the
  // nodes that has enough over [start, end), else to the layer of lowest rank.
  void choose_payers(std::span<const PoolId> nodes, HresTable::Job job, std::int64_t start,
                     std::int64_t end, GrantCharges& charges);

 private:
  void number(std::span<const PoolId> nodes);
  [[nodiscard]] bool touch(const LayerNeeds& needs, std::size_t need);

  const ResourceGraph& graph_;
  const HresTable& hres_;
  LayerNeeds granted_;  // of recompute_charges()
  // Scratch
  std::vector<std::uint32_t> numbers_;  // of the nodes
  std::vector<std::int64_t> counts_;    // by class: nodes
  std::vector<std::uint32_t> classes_;  // touched
  std::vector<std::int64_t> sums_;      // by layer: nodes; 0: not touched
  std::vector<std::uint32_t> layers_;   // touched
};

}  // namespace copse
