// SPDX-License-Identifier: Apache-2.0
//
// A match in a line or a few: "node[0-3] 8 cores, 2 gpus each, until 3,600 s".
#pragma once

#include <string>

#include "copse/engine.hpp"

namespace copse {

// A line for each set of nodes with equal contents, in the order of the machine; then one for the pools
// outside nodes. Leaves are counted: cores, gpus, units of memory. O(pools of the match).
void append_summary(std::string& out, const Engine& engine, const Match& match);

}  // namespace copse
