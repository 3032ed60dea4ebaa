// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "copse/ids.hpp"
#include "copse/shape.hpp"

namespace copse {

// With EngineOptions::growth_waits: pools that came, their units, and the changes that were
// planned when they did and still are. From the first of these to the last the pools do not
// count.
struct Growth {
  std::vector<PoolId> pools;
  std::vector<TypeTotal> units;
  std::deque<std::int64_t> changes;
};

}  // namespace copse
