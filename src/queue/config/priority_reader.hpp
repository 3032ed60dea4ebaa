// SPDX-License-Identifier: Apache-2.0
//
// Reads a table `priority` of TOML: how the jobs of queues are ordered (queue_config.hpp).
#pragma once

#ifdef COPSE_HAS_TOML

#include <span>
#include <string>

#include "queue/priorities.hpp"
#include "queue/queue_table.hpp"
#include "text/toml_text.hpp"

namespace copse::queue {

// The rule of the table, with the weights that it gives in place of the rule's. `lines`: the queues
// that weights may be of. Errors, with line and column: invalid (a key that is not known, a value of
// another kind, a queue that is not there); not_found (the rule).
[[nodiscard]] Result<void> read_priority(const toml::node& priority, const std::string& file,
                                         std::span<const QueueSpec> queues, PriorityRule& to);

}  // namespace copse::queue

#endif
