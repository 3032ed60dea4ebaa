// SPDX-License-Identifier: Apache-2.0
//
// What the functions of this folder share.
#pragma once

#include "rset/rset.hpp"

namespace copse {

[[nodiscard]] bool is_empty(const RSet::Children& children);
// Sorted by type, without those that are empty.
void sort_children(RSet::Children& children);

// Entries in canonical form. REQUIRES that no rank is in two of them.
[[nodiscard]] std::vector<RSet::Entry> joined(std::vector<RSet::Entry> entries);
// Of ranks of the set: their hosts (none if it has no names), and their properties, sorted.
// REQUIRES for hosts that the set has these ranks.
[[nodiscard]] std::vector<std::string> hosts_of(const RSet& r, const Idset& ranks);
[[nodiscard]] std::vector<std::pair<std::string, Idset>> properties_of(const RSet& r,
                                                                       const Idset& ranks);

}  // namespace copse
