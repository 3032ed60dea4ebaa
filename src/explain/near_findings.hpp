// SPDX-License-Identifier: Apache-2.0
//
// Findings about demands for cores near GPUs (match/compile/near_domains.hpp): the domains of nodes, and
// which of them have what one slot needs.
//
// Cost: O(nodes × children × domains of a node), and that of find_holders().
#pragma once

#include "copse/explain.hpp"
#include "match/shared/eligibility.hpp"
#include "state/grants.hpp"

namespace copse {

// The finding for a request that fits if its slots may have cores and GPUs of any domain. It is about
// the demand that the fewest domains can serve. REQUIRES that the request has domains, and is that of
// `eligibility`.
[[nodiscard]] Finding near_finding(const Eligibility& eligibility, const Grants& grants);

}  // namespace copse
