// SPDX-License-Identifier: Apache-2.0
//
// What sched.resource-status answers: all resources, those that are down, and those that jobs have.
#pragma once

#include <string>

#include "base/idset.hpp"
#include "copse/engine.hpp"
#include "rset/rset.hpp"

namespace copse::flux {

// {"all": R, "down": R, "allocated": R}; the ranks `up` of `all` are, the others are down. O(what jobs have).
[[nodiscard]] std::string resource_status(const Engine& engine, const RSet& all, const Idset& up);

}  // namespace copse::flux
