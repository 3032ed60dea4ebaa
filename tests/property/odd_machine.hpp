// SPDX-License-Identifier: Apache-2.0
//
// Rare machines: types that are leaves in one place and interior in another, interior pools of size
// 0 or of several units, and a present at either end of the time axis.
#pragma once

#include "property/machine.hpp"
#include "property/random.hpp"

namespace copse::property {

// To be called before requests are made for the machine. O(pools).
void make_odd(Random& random, Machine& machine);

}  // namespace copse::property
