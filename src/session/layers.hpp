// SPDX-License-Identifier: Apache-2.0
//
// The requests of a session about layers of hierarchical resources.
#pragma once

#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "session/protocol/session_request.hpp"

namespace copse {

// {"layers": [...]}, as planned for `at`, by default now. Errors: invalid (a past time).
[[nodiscard]] Result<void> list_layers(const Engine& engine, const SessionRequest& line,
                                       std::string& out);

// set-layer, set-layer-nodes, add-layer, remove-layer. Errors: those of the engine; invalid: a
// missing member.
[[nodiscard]] Result<void> change_layer(Engine& engine, const SessionRequest& line);

// reserve-layer, for these jobs: one layer, or those of a text as Slurm writes them,
// "natural(node[01-16]):30,flat(node[09-16]):4": all of them or none. Errors: as change_layer.
[[nodiscard]] Result<void> reserve_layer(Engine& engine, const SessionRequest& line,
                                         std::vector<JobId> jobs);
// free-layer: all that was reserved with an id. Errors: not_found; invalid: a missing member.
[[nodiscard]] Result<void> free_layers(Engine& engine, const SessionRequest& line);

}  // namespace copse
