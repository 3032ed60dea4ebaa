// SPDX-License-Identifier: Apache-2.0
//
// Going over two sets at once, stretch by stretch of their ranks. Cost: O(ranges × log ranges), and
// what is made of each two entries that meet, once, bounded by kWorkMax.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "rset/rset_algebra.hpp"
#include "rset/rset_children.hpp"

namespace copse {

inline std::int64_t weight(const RSet::Children& children) {
  std::int64_t ranges = 1;
  for (const auto& [type, ids] : children) ranges += std::ssize(ids.ranges());
  return ranges;
}

inline std::unexpected<Error> too_much() {
  return fail(ErrorCode::limit,
              fmt::format("the sets come to more than {} ranges of ids", kWorkMax));
}

// visit(range of ranks, entry of a or nullptr, entry of b or nullptr) for each stretch of ranks
// that no range of a or b ends within; false stops.
template <class Visit>
void each_stretch(const RSet& a, const RSet& b, Visit visit) {
  const std::vector<RankRange> x = sorted_ranges(a), y = sorted_ranges(b);
  constexpr std::int64_t kNever = INT64_MAX;
  std::int64_t from = 0;
  for (std::size_t i = 0, j = 0; i < x.size() || j < y.size();) {
    const std::int64_t in_a = i < x.size() ? std::max(from, x[i].range.first) : kNever;
    const std::int64_t in_b = j < y.size() ? std::max(from, y[j].range.first) : kNever;
    const std::int64_t first = std::min(in_a, in_b);
    const bool is_a = in_a == first, is_b = in_b == first;
    const std::int64_t last =
        std::min(is_a ? x[i].range.second : in_a - 1, is_b ? y[j].range.second : in_b - 1);
    if (!visit(Idset::Range{first, last}, is_a ? &a.entries[x[i].entry] : nullptr,
               is_b ? &b.entries[y[j].entry] : nullptr)) {
      return;
    }
    from = last + 1;
    if (i < x.size() && x[i].range.second < from) ++i;
    if (j < y.size() && y[j].range.second < from) ++j;
  }
}

// The entries that `make(children of a, children of b, rank)` → Result<RSet::Children> gives; asked
// once for each two entries that meet. REQUIRES canonical sets.
template <class Make>
Result<std::vector<RSet::Entry>> combine(const RSet& a, const RSet& b, Make make) {
  static const RSet::Children kNone;
  using Two = std::pair<const RSet::Entry*, const RSet::Entry*>;
  struct Hash {
    std::size_t operator()(const Two& two) const {
      const std::hash<const void*> hash;
      return hash(two.first) * 31 + hash(two.second);
    }
  };
  std::unordered_map<Two, std::size_t, Hash> met;
  std::vector<RSet::Entry> out;
  std::int64_t work = 0;
  std::optional<Error> error;
  each_stretch(a, b, [&](Idset::Range ranks, const RSet::Entry* x, const RSet::Entry* y) {
    const auto [at, is_new] = met.try_emplace({x, y}, out.size());
    if (is_new) {
      const RSet::Children& of_x = x == nullptr ? kNone : x->children;
      const RSet::Children& of_y = y == nullptr ? kNone : y->children;
      work += weight(of_x) + weight(of_y);
      auto made =
          work > kWorkMax ? Result<RSet::Children>(too_much()) : make(of_x, of_y, ranks.first);
      if (!made) {
        error = made.error();
        return false;
      }
      out.push_back({{}, std::move(*made)});
    }
    out[at->second].ranks.add_range(ranks.first, ranks.second);
    return true;
  });
  if (error) return std::unexpected(std::move(*error));
  return joined(std::move(out));
}

// Types of two lists that are sorted by type, side by side.
template <class Visit>
void each_type(const RSet::Children& a, const RSet::Children& b, Visit visit) {
  static const Idset kNone;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool is_a = j == b.size() || (i < a.size() && a[i].first <= b[j].first);
    const bool is_b = i == a.size() || (j < b.size() && b[j].first <= a[i].first);
    visit(is_a ? a[i].first : b[j].first, is_a ? a[i].second : kNone, is_b ? b[j].second : kNone);
    i += is_a ? 1 : 0;
    j += is_b ? 1 : 0;
  }
}

}  // namespace copse
