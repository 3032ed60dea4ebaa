// SPDX-License-Identifier: Apache-2.0
//
// Policies that are not bundled: scores read ids, uniq_ids and properties, so that orders change
// while the engine runs, and some pools score too little to be chosen.
#pragma once

#include <span>

#include "copse/policy.hpp"
#include "property/machine.hpp"

namespace copse::property {

[[nodiscard]] std::span<const Policy>
custom_policies();  // dice-high, dice-low; visits-high, visits-low

// The machine with properties that the policy `variation` reads: classes for two pools of three, few
// enough that many are equal, and words that are no classes.
[[nodiscard]] Machine with_classes(Machine machine);

}  // namespace copse::property
