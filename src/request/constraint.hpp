// SPDX-License-Identifier: Apache-2.0
//
// RFC 31 constraints: from a tree to a Constraint, and whether a node satisfies one.
//
// What empty lists mean: {}, {"and": []}, {"or": []} and {"properties": []} hold for every node,
// {"not": []}, {"hostlist": []} and {"ranks": []} for none. Properties are those of the node alone;
// its host name is not one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "copse/request.hpp"
#include "request/jobspec/jobspec_words.hpp"
#include "text/tree/tree.hpp"

namespace copse {

// What a constraint can ask of a node.
struct NodeFacts {
  std::string_view name;
  std::int64_t rank = -1;                                          // negative: none
  const std::map<std::string, std::string>* properties = nullptr;  // null: none
};

// O(size of the constraint), a host list or rank set in O(log of its length). The recursion is as
// deep as the constraint, which the parser bounds.
[[nodiscard]] bool holds(const Constraint& constraint, const NodeFacts& node);

// Reads the value of attributes.system.constraints. `hosts_max` bounds the hosts of all its
// hostlists together. Errors: invalid and limit, at the offending node.
[[nodiscard]] Result<Constraint> read_constraint(TreeView tree, std::size_t hosts_max,
                                                 JobspecWords words = JobspecWords::fluxion);

// Parses a text that is one constraint, in YAML or JSON.
[[nodiscard]] Result<Constraint> parse_constraint(
    std::string_view text, std::string_view file = {}, JobspecWords words = JobspecWords::fluxion,
    std::size_t hosts_max = JobspecLimits{}.hosts_max);

// Holds where both do.
[[nodiscard]] Constraint both(Constraint a, Constraint b);

}  // namespace copse
