// SPDX-License-Identifier: Apache-2.0
//
// What Matcher and Boards both keep while they choose, in three arenas: groups, of which each walk
// has its own kind; the items of groups; and the items that were chosen below items. A visit that
// fails leaves no trace: the arenas go back to the marks from before it.
//
// Sketch: 20 bytes an item.
#pragma once

#include <cstddef>
#include <cstdint>

#include "copse/ids.hpp"

namespace copse {

// A chosen pool, with the range of the chosen items that was chosen below it; or a run of leaves.
struct BoardItem {
  PoolId pool;
  std::uint32_t first, count;
  std::uint32_t level;  // that it was chosen for
  bool exclusive : 1;
  std::uint32_t more : 31 = 0;  // leaves that follow `pool` and are chosen with it
};
static_assert(sizeof(BoardItem) == 20);

// How full the arenas are, and how much was taken from the supply: nodes, and what pools draw.
struct BoardMarks {
  std::size_t groups, items, chosen, taken = 0, drawn = 0;
};

}  // namespace copse
