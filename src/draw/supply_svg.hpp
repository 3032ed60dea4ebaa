// SPDX-License-Identifier: Apache-2.0
//
// A hierarchical resource as a picture (SVG 1.1): its layers from the root down. Each is as wide as
// the nodes below it, and filled from the bottom: always in use (base), used, reserved, free.
//
// In mode 3 rows are the levels of the tree. Modes 1 and 2 have no tree: layers with the same
// number of nodes are in one row, the largest on top. If there are too many layers for columns of
// their own, neighbours share one: it is filled by their sums, and a mark shows the fullest of
// them.
//
// Bounds, for every resource: kColumnsMax columns a row, kSupplyRowsMax rows; texts are shortened
// to their boxes. The same input gives the same bytes. O(layers · log).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "copse/error.hpp"
#include "copse/hres.hpp"

namespace copse::draw {

inline constexpr std::size_t kSupplyRowsMax = 64;  // of modes 1 and 2: smaller layers are left out

// `layers`: all layers of one resource, as returned by Engine::layers (parents are indices into
// that list, where `layers` begins at `first`). Errors: invalid (no layer).
struct SupplyPicture {
  std::span<const LayerView> layers;
  std::size_t first = 0;
  std::int64_t at = 0;  // the time of the view
};
[[nodiscard]] Result<void> write_supply_svg(const SupplyPicture& picture, std::string& out);

}  // namespace copse::draw
