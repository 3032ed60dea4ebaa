// SPDX-License-Identifier: Apache-2.0
//
// Two policies.
#include "copse/plugin.hpp"

COPSE_PLUGIN({.name = "up", .summary = "lowest ids first", .prefer_high = false},
             {.name = "down", .summary = "highest ids first"})
