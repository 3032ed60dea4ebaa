// SPDX-License-Identifier: Apache-2.0
//
// Set algebra on idsets, and the numbering of a set's ids by their positions in it: id k of a set
// that was renumbered to 0, 1, 2, … is the k-th smallest id of the set that it was.
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
// The smallest id of `part` that `whole` has not; -1 if there is none.
[[nodiscard]] std::int64_t first_missing(const Idset& part, const Idset& whole);

// 0 to count - 1. REQUIRES 0 <= count <= kIdMax.
[[nodiscard]] Idset first_ids(std::int64_t count);
// Where in `whole`, counted from 0 in ascending order, the ids of `part` stand that it has.
[[nodiscard]] Idset positions_in(const Idset& whole, const Idset& part);
// The ids of `whole` at these positions; positions beyond its end have none.
[[nodiscard]] Idset ids_at(const Idset& whole, const Idset& positions);

}  // namespace copse
