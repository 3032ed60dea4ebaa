// SPDX-License-Identifier: Apache-2.0
//
// Policies whose functions throw.
#include <stdexcept>

#include "copse/plugin.hpp"

namespace {

copse::Score thrower(copse::GraphView, copse::PoolId) { throw std::runtime_error("no idea"); }

}  // namespace

COPSE_PLUGIN({.name = "scores", .score = thrower}, {.name = "nodes", .below_node = thrower})
