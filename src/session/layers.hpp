// SPDX-License-Identifier: Apache-2.0
//
// What a session says and asks of layers of hierarchical resources.
#pragma once

#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "session/line.hpp"

namespace copse {

// {"layers": [...]}: as planned at the line's time, now if it has none. Errors: invalid (a time
// that is over).
[[nodiscard]] Result<void> list_layers(const Engine& engine, const SessionLine& line,
                                       std::string& out);

// set-layer, set-layer-nodes, add-layer, remove-layer. Errors: those of the engine; invalid: a
// member is missing.
[[nodiscard]] Result<void> change_layer(Engine& engine, const SessionLine& line);

// reserve-layer, for these jobs. Errors: as change_layer.
[[nodiscard]] Result<void> reserve_layer(Engine& engine, const SessionLine& line,
                                         std::vector<JobId> jobs);

}  // namespace copse
