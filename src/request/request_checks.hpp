// SPDX-License-Identifier: Apache-2.0
//
// Checks of a request against a machine, before it is matched: types, units, properties and hosts that the
// machine does not have, and requests that would take nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "copse/request.hpp"

namespace copse {

// The first type of the request that the machine does not know, with its place: invalid if it is similar
// to a known one, else not_found. nullopt: all are known. O(resources of the request).
[[nodiscard]] std::optional<Error> unknown_type(const ResourceGraph& graph, const Request& request);

// The first unit of the request that is not that of the machine's pools, with its place: invalid.
// Amounts are in the machine's units, and nothing converts them. A pool without a unit takes any.
// nullopt: all fit. O(resources of the request).
[[nodiscard]] std::optional<Error> wrong_unit(const ResourceGraph& graph, const Request& request);

// A sentence for each property that the constraint requires and no node has, with the nearest one:
// `no node has the property "fastt"; did you mean "fast"?`. Properties that must be absent ("^gpu",
// "not") are left out. The same for each hostlist without a node. O(pools), if there is a constraint.
[[nodiscard]] std::vector<std::string> unknown_properties(const ResourceGraph& graph,
                                                          const Constraint& constraint);

// Nothing in the request is exclusive, nor made so by a policy of whole nodes (copse/policy.hpp): a
// match finds pools, and takes none. O(vertices of the request).
[[nodiscard]] bool takes_nothing(const Request& request, bool whole_nodes);

}  // namespace copse
