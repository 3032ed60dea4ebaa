// SPDX-License-Identifier: Apache-2.0
//
// A discipline that has no function.
#include "copse/plugin.hpp"

COPSE_DISCIPLINE_PLUGIN({.name = "empty"})
