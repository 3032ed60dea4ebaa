// SPDX-License-Identifier: Apache-2.0
//
// How much of a subtree is free now, as Engine::free_units.
#pragma once

#include <cstdint>

#include "copse/ids.hpp"
#include "state/state.hpp"

namespace copse {

[[nodiscard]] std::int64_t free_units(const State& state, PoolId top, TypeId type);

}  // namespace copse
