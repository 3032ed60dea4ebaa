// SPDX-License-Identifier: Apache-2.0
//
// Least needs: the units of each type that a part of a request must have below one pool.
//
// Invariant of all lists here: types ascend, and no type is in a list twice.
#pragma once

#include <cstdint>
#include <vector>

#include "match/compile/compiled.hpp"

namespace copse {

// Adds units of a type. O(types).
void add_need(std::vector<Need>& needs, TypeId type, std::int64_t units);

// Adds an amount of a channel to the one that the list may have. O(charges).
void add_charge(std::vector<ChannelNeed>& charges, const ChannelNeed& more);

// The least number of pools of a level. `largest`: the units of the largest pool of its type; if pools
// have several units, fewer pools than units are enough.
[[nodiscard]] std::int64_t fewest_pools(const Level& level, std::int64_t largest);

// Adds the needs of a level to those of the level above: its units, and what each of its pools must
// have below.
void add_all(std::vector<Need>& needs, const Level& level, std::int64_t largest);

// Keeps the smaller need of each type; types that only one of the two has are removed.
void keep_least(std::vector<Need>& needs, const std::vector<Need>& other);

}  // namespace copse
