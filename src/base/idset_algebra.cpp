// SPDX-License-Identifier: Apache-2.0
#include "base/idset_algebra.hpp"

#include <algorithm>
#include <cassert>

namespace copse {

namespace {

using At = std::vector<Idset::Range>::const_iterator;

// The first range from `at` on that ends at `id` or after it.
At reach(At at, At end, std::int64_t id) {
  if (at == end || at->second >= id) return at;  // the usual step
  return std::lower_bound(at, end, id,
                          [](const Idset::Range& r, std::int64_t i) { return r.second < i; });
}

// visit(first, last, position in a of first) for each range of ids in both sets, ascending; stops
// when visit returns false.
template <class Visit>
void each_common(const Idset& a, const Idset& b, Visit visit) {
  auto at = b.ranges().begin();
  std::int64_t before = 0;  // ids of a below its current range
  for (const auto& [first, last] : a.ranges()) {
    at = reach(at, b.ranges().end(), first);
    for (auto in = at; in != b.ranges().end() && in->first <= last; ++in) {
      at = in;
      const std::int64_t from = std::max(first, in->first);
      if (!visit(from, std::min(last, in->second), before + from - first)) return;
    }
    before += last - first + 1;
  }
}

}  // namespace

Idset idset_of(std::vector<Idset::Range> ranges) {
  std::ranges::sort(ranges);
  Idset out;
  for (const auto& [first, last] : ranges) out.add_range(first, last);
  return out;
}

Idset unite(const Idset& a, const Idset& b) {
  Idset out;
  auto x = a.ranges().begin(), y = b.ranges().begin();
  while (x != a.ranges().end() || y != b.ranges().end()) {
    const bool from_a = y == b.ranges().end() || (x != a.ranges().end() && x->first <= y->first);
    const Idset::Range& next = from_a ? *x++ : *y++;
    out.add_range(next.first, next.second);
  }
  return out;
}

Idset intersect(const Idset& a, const Idset& b) {
  Idset out;
  each_common(a, b, [&](std::int64_t first, std::int64_t last, std::int64_t) {
    out.add_range(first, last);
    return true;
  });
  return out;
}

Idset subtract(const Idset& a, const Idset& b) {
  Idset out;
  auto at = b.ranges().begin();
  for (const auto& [first, last] : a.ranges()) {
    std::int64_t from = first;
    at = reach(at, b.ranges().end(), first);
    for (auto in = at; in != b.ranges().end() && in->first <= last; ++in) {
      at = in;
      if (in->first > from) out.add_range(from, in->first - 1);
      from = std::max(from, in->second + 1);
    }
    if (from <= last) out.add_range(from, last);
  }
  return out;
}

std::int64_t first_common(const Idset& a, const Idset& b) {
  std::int64_t found = -1;
  each_common(a, b, [&](std::int64_t first, std::int64_t, std::int64_t) {
    found = first;
    return false;
  });
  return found;
}

std::int64_t first_missing(const Idset& part, const Idset& whole) {
  auto at = whole.ranges().begin();
  for (const auto& [first, last] : part.ranges()) {
    at = reach(at, whole.ranges().end(), first);
    if (at == whole.ranges().end() || at->first > first) return first;
    if (at->second < last) return at->second + 1;  // ranges of a set are not adjacent
  }
  return -1;
}

Idset first_ids(std::int64_t count) {
  assert(0 <= count && count <= Idset::kIdMax);
  Idset out;
  if (count > 0) out.add_range(0, count - 1);
  return out;
}

Idset positions_in(const Idset& whole, const Idset& part) {
  Idset out;
  each_common(whole, part, [&](std::int64_t first, std::int64_t last, std::int64_t position) {
    out.add_range(position, position + last - first);
    return true;
  });
  return out;
}

Idset ids_at(const Idset& whole, const Idset& positions) {
  Idset out;
  auto at = positions.ranges().begin();
  std::int64_t before = 0;
  for (const auto& [first, last] : whole.ranges()) {
    const std::int64_t after = before + last - first + 1;
    while (at != positions.ranges().end() && at->second < before) ++at;
    for (auto in = at; in != positions.ranges().end() && in->first < after; ++in) {
      at = in;
      const std::int64_t from = std::max(before, in->first);
      out.add_range(first + from - before, first + std::min(after - 1, in->second) - before);
    }
    before = after;
  }
  return out;
}

}  // namespace copse
