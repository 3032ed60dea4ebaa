// SPDX-License-Identifier: Apache-2.0
//
// Two policies of one name.
#include "copse/plugin.hpp"

COPSE_PLUGIN({.name = "up"}, {.name = "up"})
