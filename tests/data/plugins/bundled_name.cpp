// SPDX-License-Identifier: Apache-2.0
//
// A discipline with the name of another.
#include "copse/plugin.hpp"

COPSE_DISCIPLINE_PLUGIN({.name = "easy",
                         .treat = [](const copse::JobView&) { return copse::Treatment::wait; }})
