// SPDX-License-Identifier: Apache-2.0
//
// A hierarchical resource as a picture (SVG 1.1): its layers from the root down, each as wide as
// the nodes below it, filled from the ground: what is always in use (base), used, kept by
// reservations, free.
//
// In mode 3 rows are the levels of the tree. In modes 1 and 2, which have none, layers of equally
// many nodes stand side by side, the largest on top. Where layers are too many for columns of their
// own, neighbours share one: it is filled by their sums, and a mark shows the fullest of them.
//
// Bounds, whatever the resource: kColumnsMax columns a row, kSupplyRowsMax rows; texts are
// shortened to the box that they stand in. The same input gives the same bytes. O(layers · log).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "copse/error.hpp"
#include "copse/supply.hpp"

namespace copse::draw {

inline constexpr std::size_t kSupplyRowsMax = 64;  // of modes 1 and 2: smaller layers are left out

// `layers`: all of one resource, as Engine::layers gives them (parents are places in `all`, of
// which `layers` begins at `first`). Errors: invalid (no layer).
struct SupplyPicture {
  std::span<const LayerView> layers;
  std::size_t first = 0;
  std::int64_t at = 0;  // the time of the view
};
[[nodiscard]] Result<void> write_supply_svg(const SupplyPicture& picture, std::string& out);

}  // namespace copse::draw
