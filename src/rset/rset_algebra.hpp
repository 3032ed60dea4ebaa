// SPDX-License-Identifier: Apache-2.0
//
// Resource sets as sets: a set of (rank, type, id). Hosts, properties and times describe them. All
// results are canonical.
//
//             ids           hosts              properties   times              nslots
//   append of both of both of both when both hold the sum, if both have it unite of both of both of
//   both when both hold none intersect in both of the first of both when both hold none subtract of
//   the first of the first of the first of the first none, if ids went select of the first of the
//   first of the first of the first none, if ids went
//
// `scheduling` is that of the first which has it; TreePool's is aligned, trimmed to the ranks that
// are left, and of two the children are put together (RFC 49). A text of another scheduler stays
// whole, for its meaning is unknown.
//
// A rank names one host: where two sets give it different ones, append and unite refuse it, and
// intersect reads it as two nodes. If one set has no names, those of the other are used; a result
// without a name for each rank has no names (RFC 20: one host for each rank).
//
// Errors, besides those named below: limit, if ids in common or apart come to more ranges than
// kWorkMax. Cost: O(ranges of both × log), and hosts.
#pragma once

#include "copse/error.hpp"
#include "rset/rset.hpp"

namespace copse {

inline constexpr std::int64_t kWorkMax = INT64_C(1) << 26;

// Both together. Errors: exists, if they have an id in common; invalid, if a rank has two hosts or
// the sets are valid at no common time.
[[nodiscard]] Result<RSet> append(const RSet& a, const RSet& b);
// The same, ids in common once.
[[nodiscard]] Result<RSet> unite(const RSet& a, const RSet& b);
// Errors: invalid, if the sets are valid at no common time.
[[nodiscard]] Result<RSet> intersect(const RSet& a, const RSet& b);
[[nodiscard]] Result<RSet> subtract(const RSet& a, const RSet& b);
// What is on these ranks; ranks that the set does not have are none.
[[nodiscard]] RSet select_ranks(const RSet& r, const Idset& ranks);

// Makes entries that have a rank in common into entries that have none, as Flux reads them. An id
// that such a rank has twice is an error, invalid, or is taken once. Errors: also limit.
enum class Repeated : std::uint8_t { refused, united };
[[nodiscard]] Result<void> merge_repeated_ranks(RSet& r, Repeated ids = Repeated::refused);

}  // namespace copse
