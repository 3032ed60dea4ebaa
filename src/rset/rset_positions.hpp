// SPDX-License-Identifier: Apache-2.0
//
// Ids by their place in a set, by binary search: for many small parts of one large set.
#pragma once

#include <algorithm>
#include <vector>

#include "base/idset_algebra.hpp"

namespace copse {

// Ids of a set, which must outlive it, and their positions in it.
class Positions {
 public:
  explicit Positions(const Idset& ids) : ids_(ids) {
    std::int64_t before = 0;
    for (const auto& [first, last] : ids.ranges()) {
      before_.push_back(before);
      before += last - first + 1;
    }
  }

  // visit(first, last) for the positions of those of `part` that the set has.
  template <class Visit>
  void each_position(const Idset& part, Visit visit) const {
    const Idset common = intersect(part, ids_);
    for (const auto& [first, last] : common.ranges()) {  // each within one range of the set
      const auto at = std::ranges::upper_bound(ids_.ranges(), first, {}, &Idset::Range::first) - 1;
      const auto range = static_cast<std::size_t>(at - ids_.ranges().begin());
      visit(before_[range] + first - at->first, before_[range] + last - at->first);
    }
  }

  // The ids at positions from `first` to `last`. REQUIRES that all exist.
  void append_ids(std::int64_t first, std::int64_t last, std::vector<Idset::Range>& out) const {
    auto range =
        static_cast<std::size_t>(std::ranges::upper_bound(before_, first) - before_.begin() - 1);
    for (; first <= last; ++range) {
      const auto& [low, high] = ids_.ranges()[range];
      const std::int64_t from = low + first - before_[range];
      const std::int64_t to = std::min(high, low + last - before_[range]);
      out.emplace_back(from, to);
      first += to - from + 1;
    }
  }

 private:
  const Idset& ids_;
  std::vector<std::int64_t> before_;
};

}  // namespace copse
