// SPDX-License-Identifier: Apache-2.0
//
// copse serve --check: whether the service could write its state, and listen at its addresses.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "copse/error.hpp"
#include "queue/config/queue_config.hpp"

namespace copse {

using ServeLog = std::function<void(const std::string& line)>;

// The folder of a state is writable, or can be created. A warning is logged if others can read it.
// Errors: invalid (no folder); io.
[[nodiscard]] Result<void> check_state_folder(const std::string& folder, const ServeLog& log);
// The audit log is not a file of the state. Errors: invalid.
[[nodiscard]] Result<void> check_audit_name(const std::string& audit, const std::string& state);
// The audit log can be written. Errors: io.
[[nodiscard]] Result<void> check_audit(const std::string& path);
// A service could listen at this socket and these ports. Errors: those of listening.
[[nodiscard]] Result<void> check_listening(const std::string& socket,
                                           const std::vector<std::string>& ports);

// What is printed: what was read of the machine and of the queues, and which parts of the files have no
// effect.
//
// Lines of two columns:
//
//   nodes    4
//   cores    32
//   layers   licence: 10 on node[0-3]
//   queues   batch: easy, 4 nodes
//   ignored  sched-fluxion-resource.match-policy in queues.toml
//
// `file`: that of the queues; "": none.
[[nodiscard]] std::string check_report(const Engine& engine, const queue::QueueConfig& queues,
                                       const std::string& file);

}  // namespace copse
