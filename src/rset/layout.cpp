// SPDX-License-Identifier: Apache-2.0
#include "copse/layout.hpp"

#include <algorithm>

namespace copse {

const Layout* Layouts::of_rank(std::int64_t rank) const {
  const auto after = std::ranges::upper_bound(ranks, rank, {}, &Ranks::first);
  if (after == ranks.begin() || rank > std::prev(after)->last) return nullptr;
  return &layouts[std::prev(after)->layout];
}

}  // namespace copse
