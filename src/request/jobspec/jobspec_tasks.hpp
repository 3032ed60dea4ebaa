// SPDX-License-Identifier: Apache-2.0
//
// The section "tasks" of a jobspec (RFC 14, *Tasks*). Tasks are checked and not kept: a match does
// not use them.
//
// A task has a command (a list of strings that is not empty), the label of a slot, and a count:
// `per_slot` or `total`, a number of at least 1, or `per_resource`, a type and such a number. It may
// have a distribution (a string) and attributes (a mapping), and nothing else. There may be no tasks:
// a match needs none. The type of `per_resource` is one that the slot has. In Fluxion's words, as in
// Fluxion, a task may lack its count, have an empty command, and name any slot and any type.
#pragma once

#include <vector>

#include "copse/request.hpp"
#include "request/jobspec/jobspec_words.hpp"
#include "text/tree/tree.hpp"

namespace copse {

// `resources`: those of the jobspec, whose slots tasks may name. Errors: invalid, at the offending
// node. O(size of the section + tasks · resources).
[[nodiscard]] Result<void> check_tasks(TreeView tasks, const std::vector<Resource>& resources,
                                       JobspecWords words);

}  // namespace copse
