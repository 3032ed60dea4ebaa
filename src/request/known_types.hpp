// SPDX-License-Identifier: Apache-2.0
//
// The types that a request names, and those that a machine has.
#pragma once

#include <optional>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "copse/request.hpp"

namespace copse {

// Says which type of the request the machine does not know, with its place: invalid where it is
// nearly one that is known, else not_found. nullopt: all are known. O(resources of the request).
[[nodiscard]] std::optional<Error> unknown_type(const ResourceGraph& graph, const Request& request);

}  // namespace copse
