// SPDX-License-Identifier: Apache-2.0
//
// R version 1 (RFC 20) as a plain value: ids by type on sets of ranks, the ranks' hosts
// and properties, when the set is valid, and the data that a scheduler adds.
//
// Invariants (of what read_r() gives, and of what every function of this folder gives):
//   1. Ranks are 0 to 2^31 - 1; no rank is in two entries, and no entry is without a rank.
//   2. hosts is empty (there are no names) or has one host for each rank: hosts[k] is that of the
//      k-th smallest rank, whatever the order of the entries (RFC 20, nodelist).
//   3. Properties name known ranks only, and no property occurs twice.
//   4. The children of an entry have distinct types.
// A set is *canonical* if moreover its entries have different children and ascend by their smallest
// rank; children are sorted by type and none is empty, nor is an entry; properties are sorted;
// ranks whose layouts are written alike share an entry of scheduling.children. What this folder
// gives is canonical; what read_r() gives has the order of its text.
//
// Cost: 16 bytes for each range of ids, so "0-4294967295" is 16 bytes; a string for each host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/idset.hpp"
#include "rset/rset_scheduling.hpp"

namespace copse {

struct RSet {
  using Children = std::vector<std::pair<std::string, Idset>>;  // type, ids
  using Entry = REntry;
  std::vector<Entry> entries;
  std::vector<std::string> hosts;
  std::vector<std::pair<std::string, Idset>> properties;  // name, ranks
  double starttime_s = 0, expiration_s = 0;               // since the epoch; 0: unset
  std::int64_t nslots = 0;                                // 0: not given
  RScheduling scheduling;
  Layouts layouts{};  // of TreePool's scheduling, if they were asked for (RLimits::layouts)

  [[nodiscard]] Idset ranks() const;  // of all entries; O(ranges × log ranges)
};

inline constexpr std::int64_t kRankMax = INT32_MAX;

// A range of ranks with the entry it is of, and the number of ranks before it, which is the place
// of its first host.
struct RankRange {
  Idset::Range range;
  std::size_t before = 0;
  std::size_t entry = 0;
};
// All ranges of a set, ascending. O(ranges × log ranges).
[[nodiscard]] std::vector<RankRange> sorted_ranges(const RSet& r);

// The host of a rank by binary search. The set must outlive it, unchanged.
class HostsByRank {
 public:
  explicit HostsByRank(const RSet& r);
  // nullptr: the set has no such rank, or no names.
  [[nodiscard]] const std::string* find(std::int64_t rank) const;

 private:
  const RSet& r_;
  std::vector<RankRange> ranges_;
};

// How many there are of a type: "node" counts ranks that have something, any other the ids of
// that type over all ranks; INT64_MAX if they are more.
[[nodiscard]] std::int64_t count(const RSet& r, std::string_view type);
// The types of all children, sorted, each once.
[[nodiscard]] std::vector<std::string> types(const RSet& r);
// The ids of a type in children; nullptr if there is no such type.
[[nodiscard]] const Idset* find_ids(const RSet::Children& children, std::string_view type);

// The same set in canonical form. O(size × log size).
[[nodiscard]] RSet canonical(RSet r);

}  // namespace copse
