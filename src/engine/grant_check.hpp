// SPDX-License-Identifier: Apache-2.0
//
// What a grant must be before the state takes it from a stranger: a save, or a stream of effects.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "copse/engine.hpp"
#include "hres/channels.hpp"
#include "hres/hres_table.hpp"

namespace copse {

// Whether the selection is one of this machine: pools that are there, in preorder, each below the
// one on its way to the root, nothing below what is taken whole (selection.hpp, *Invariants*).
// Errors: invalid. O(entries).
[[nodiscard]] Result<void> check_selection(const ResourceGraph& graph, const Selection& selection);

// Draws of strangers: that what they name is there, and that sums stay below 2^63.
class ChargeCheck {
 public:
  // `supply`, `channels`: nullptr if the engine has none.
  // What is drawn already over [start, end) counts; none of it if start == end.
  ChargeCheck(const ResourceGraph& graph, const HresTable* hres, const Channels* channels,
              std::int64_t start = 0, std::int64_t end = 0)
      : graph_(graph), hres_(hres), channels_(channels), start_(start), end_(end) {}
  // Adds a draw. Errors: invalid. O(what it has).
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
