// SPDX-License-Identifier: Apache-2.0
//
// Disciplines that return what is no treatment, and that throw.
#include <stdexcept>

#include "copse/plugin.hpp"

namespace {

copse::Treatment nine(const copse::JobView&) { return static_cast<copse::Treatment>(9); }
copse::Treatment thrower(const copse::JobView&) { throw std::runtime_error("no idea"); }

}  // namespace

COPSE_DISCIPLINE_PLUGIN({.name = "nine", .treat = nine}, {.name = "thrower", .treat = thrower})
