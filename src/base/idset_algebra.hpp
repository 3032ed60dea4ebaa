// SPDX-License-Identifier: Apache-2.0
//
// Set algebra on idsets, and renumbering: ids of a set become their positions in it (0, 1, 2, …)
// and back.
//
// Cost: of unite(), positions_in() and ids_at() O(ranges of both); of the others O(ranges of the
// first × log ranges of the second + ranges of the result). The number of ids does not matter.
#pragma once

#include "base/idset.hpp"

namespace copse {

// The union of ranges in any order. O(ranges × log ranges).
[[nodiscard]] Idset idset_of(std::vector<Idset::Range> ranges);

[[nodiscard]] Idset unite(const Idset& a, const Idset& b);
[[nodiscard]] Idset intersect(const Idset& a, const Idset& b);
[[nodiscard]] Idset subtract(const Idset& a, const Idset& b);
// The smallest id of both; -1 if there is none.
[[nodiscard]] std::int64_t first_common(const Idset& a, const Idset& b);
// The smallest id of `part` that is not in `whole`; -1 if there is none.
[[nodiscard]] std::int64_t first_missing(const Idset& part, const Idset& whole);

// 0 to count - 1. REQUIRES 0 <= count <= kIdMax.
[[nodiscard]] Idset first_ids(std::int64_t count);
// The positions in `whole`, from 0 in ascending order, of the ids that are also in `part`.
[[nodiscard]] Idset positions_in(const Idset& whole, const Idset& part);
// The ids of `whole` at these positions; positions beyond its end are ignored.
[[nodiscard]] Idset ids_at(const Idset& whole, const Idset& positions);

}  // namespace copse
