// SPDX-License-Identifier: Apache-2.0
//
// Reads a table `priority` of TOML: how the jobs of queues are ordered (queue_config.hpp).
#pragma once

#include <span>

#include "queue/lines.hpp"
#include "queue/priorities.hpp"
#include "text/tree/tree.hpp"

namespace copse::queue {

// The rule of the table, with the weights that it gives in place of the rule's. `lines`: the queues
// that weights may be of. Errors, with line and column: invalid (a key that is not known, a value of
// another kind, a queue that is not there); not_found (the rule).
[[nodiscard]] Result<void> read_priority(TreeView priority, std::span<const LineSpec> lines,
                                         PriorityRule& to);

}  // namespace copse::queue
