// SPDX-License-Identifier: Apache-2.0
//
// LayerCharger: what layers are charged for the nodes that were chosen.
//
// In mode 1 the sufficient layer of lowest rank pays the need once, in mode 2 every layer over some
// node does, in mode 3 each pays for all nodes below it.
//
// Cost: O(nodes · needs + layers touched). Size: 8 bytes per layer and a class.
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

  // What the needs of an offer come to for these nodes, appended; false, and nothing appended: some
  // layer does not have it. Without nodes nothing is served.
  bool charge(LayerAvailability& availability, std::span<const PoolId> nodes,
              std::vector<LayerCharge>& out);

  // What layers are charged, after the nodes of a grant or the layers over them have changed: in
  // modes 2 and 3 again, in mode 1 the layer that paid, if it is still there.
  void recompute_charges(std::span<const PoolId> nodes, GrantCharges& charges);
  // Appends to the charges a layer that pays for each need of mode 1 that has none: of those over
  // the nodes the lowest in rank that has enough over [start, end), else the lowest in rank.
  void choose_payers(std::span<const PoolId> nodes, HresTable::Job job, std::int64_t start,
                     std::int64_t end, GrantCharges& charges);

 private:
  void number(std::span<const PoolId> nodes);
  [[nodiscard]] bool touch(const LayerNeeds& needs, std::size_t need);

  const ResourceGraph& graph_;
  const HresTable& hres_;
  LayerNeeds granted_;  // of redraw()
  // Scratch
  std::vector<std::uint32_t> numbers_;  // of the nodes
  std::vector<std::int64_t> counts_;    // by class: nodes
  std::vector<std::uint32_t> classes_;  // touched
  std::vector<std::int64_t> sums_;      // by layer: nodes; 0: not touched
  std::vector<std::uint32_t> layers_;   // touched
};

}  // namespace copse
