// SPDX-License-Identifier: Apache-2.0
//
// Reads a TOML table `priority`: how the jobs of queues are ordered (queue_config.hpp).
#pragma once

#ifdef COPSE_HAS_TOML

#include <span>
#include <string>

#include "queue/priorities.hpp"
#include "queue/queue_table.hpp"
#include "text/toml_text.hpp"

namespace copse::queue {

// Reads the rule, and the weights that replace those of the rule. `queues`: the queues that may
// have weights. Errors, with line and column: invalid (an unknown key, a value of another type, an
// unknown queue); not_found (the rule).
[[nodiscard]] Result<void> read_priority(const toml::node& priority, const std::string& file,
                                         std::span<const QueueSpec> queues, PriorityRule& to);

}  // namespace copse::queue

#endif
