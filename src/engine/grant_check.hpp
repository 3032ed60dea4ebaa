// SPDX-License-Identifier: Apache-2.0
//
// Checks of grants from untrusted sources: saves and streams of effects.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "copse/engine.hpp"
#include "hres/channels.hpp"
#include "hres/hres_table.hpp"

namespace copse {

// Checks that a selection is valid for this machine: existing pools, in preorder, each with its
// ancestors listed, none below a pool that is taken whole, and an amount for each divisible pool
// (selection.hpp, *Invariants*).
// Errors: invalid. O(entries).
[[nodiscard]] Result<void> check_selection(const ResourceGraph& graph, const Selection& selection);

// Sets the amounts of a selection of valid pools: all units of each divisible one.
void take_all_units(const ResourceGraph& graph, Selection& selection);

// Checks charges: that the layers and capacities exist, and that sums stay below 2^63.
class ChargeCheck {
 public:
  // `hres`, `channels`: nullptr if the engine has none. Existing charges over [start, end) count;
  // none if start == end.
  ChargeCheck(const ResourceGraph& graph, const HresTable* hres, const Channels* channels,
              std::int64_t start = 0, std::int64_t end = 0)
      : graph_(graph), hres_(hres), channels_(channels), start_(start), end_(end) {}
  // Adds charges. Errors: invalid. O(their number).
  [[nodiscard]] Result<void> add(const GrantCharges& charges);

 private:
  bool fits_layer(const LayerCharge& charge);
  bool fits_pool(const CapacityCharge& charge);

  const ResourceGraph& graph_;
  const HresTable* hres_;
  const Channels* channels_;
  std::int64_t start_, end_;
  std::unordered_map<std::uint32_t, std::int64_t> of_layer_, of_pool_;  // sums
};

}  // namespace copse
