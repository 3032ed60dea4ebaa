// SPDX-License-Identifier: Apache-2.0
//
// Checks of a request against a machine, before it is matched: types, units, properties and hosts that the
// machine does not have, and requests that would take nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "copse/request.hpp"

namespace copse {

// The first type of the request that the machine does not know, with its place: invalid if it is similar
// to a known one, else not_found. nullopt: all are known. O(resources of the request).
[[nodiscard]] std::optional<Error> unknown_type(const ResourceGraph& graph, const Request& request);

// Gives all amounts of the request the units of the machine's pools. Units of bytes are converted where
// that is exact: kB, MB, … are powers of 1,000, and KiB, MiB, … of 1,024. A pool without a unit takes any.
// Returns the first unit that is another, or the first amount that has no exact value in the machine's
// unit, with its place: invalid; then the request is unchanged. nullopt: all fit.
// O(resources of the request + pools of the types that have a unit there).
[[nodiscard]] std::optional<Error> fit_units(const ResourceGraph& graph, Request& request);

// A sentence for each property that the constraint requires and no node has, with the nearest one:
// `no node has the property "fastt"; did you mean "fast"?`. Properties that must be absent ("^gpu",
// "not") are left out. The same for each hostlist without a node. O(pools), if there is a constraint.
[[nodiscard]] std::vector<std::string> unknown_properties(const ResourceGraph& graph,
                                                          const Constraint& constraint);
// The same for a request, with the properties that its resources request.
[[nodiscard]] std::vector<std::string> unknown_properties(const ResourceGraph& graph,
                                                          const Request& request);

// Nothing in the request is exclusive, nor made so by a policy of whole nodes (copse/policy.hpp): a
// match finds pools, and takes none. O(vertices of the request).
[[nodiscard]] bool takes_nothing(const Request& request, bool whole_nodes);

// The least units of a type that resources name, at any depth. Bounded by the parsers' depth.
[[nodiscard]] std::int64_t least_units(const std::vector<Resource>& resources,
                                       std::string_view type);

}  // namespace copse
