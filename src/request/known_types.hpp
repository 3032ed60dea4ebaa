// SPDX-License-Identifier: Apache-2.0
//
// The types and units that a request names, and those that a machine has.
#pragma once

#include <optional>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "copse/request.hpp"

namespace copse {

// Says which type of the request the machine does not know, with its place: invalid where it is
// nearly one that is known, else not_found. nullopt: all are known. O(resources of the request).
[[nodiscard]] std::optional<Error> unknown_type(const ResourceGraph& graph, const Request& request);

// Says which unit of the request is not that of the machine's pools, with its place: invalid. Amounts
// are in the machine's units, and nothing converts them. A pool without a unit takes any.
// nullopt: all fit. O(resources of the request).
[[nodiscard]] std::optional<Error> wrong_unit(const ResourceGraph& graph, const Request& request);

}  // namespace copse
