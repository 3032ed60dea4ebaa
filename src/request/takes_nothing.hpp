// SPDX-License-Identifier: Apache-2.0
//
// Requests that no machine has anything to give to.
#pragma once

#include "copse/request.hpp"

namespace copse {

// Nothing in it is exclusive, nor made so by a policy of whole nodes (copse/policy.hpp): a match
// finds pools, and takes none.
// O(vertices of the request).
[[nodiscard]] bool takes_nothing(const Request& request, bool whole_nodes);

}  // namespace copse
