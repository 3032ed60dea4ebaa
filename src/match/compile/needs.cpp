// SPDX-License-Identifier: Apache-2.0
#include "match/compile/needs.hpp"

#include <algorithm>

#include "base/saturating.hpp"

namespace copse {

void add_need(std::vector<Need>& needs, TypeId type, std::int64_t units) {
  auto it = std::lower_bound(needs.begin(), needs.end(), type,
                             [](const Need& n, TypeId t) { return n.type < t; });
  if (it == needs.end() || it->type != type) it = needs.insert(it, {type, 0});
  it->units = saturating_sum(it->units, units);
}

void add_charge(std::vector<ChannelNeed>& charges, const ChannelNeed& more) {
  auto it = std::ranges::find(charges, more.channel, &ChannelNeed::channel);
  if (it == charges.end()) it = charges.insert(it, {more.channel, 0});
  it->amount = saturating_sum(it->amount, more.amount);
}

std::int64_t fewest_pools(const Level& level, std::int64_t largest) {
  const std::int64_t size = level.slot ? 1 : std::max<std::int64_t>(largest, 1);
  return level.count.min / size + (level.count.min % size != 0 ? 1 : 0);
}

void add_all(std::vector<Need>& needs, const Level& level, std::int64_t largest) {
  if (!level.slot) add_need(needs, level.type, level.count.min);
  const std::int64_t pools = fewest_pools(level, largest);
  for (const Need& n : level.needs) add_need(needs, n.type, saturating_product(pools, n.units));
}

void keep_least(std::vector<Need>& needs, const std::vector<Need>& other) {
  std::size_t kept = 0;
  for (const Need& n : needs) {
    auto it = std::lower_bound(other.begin(), other.end(), n.type,
                               [](const Need& o, TypeId t) { return o.type < t; });
    if (it == other.end() || it->type != n.type) continue;
    needs[kept++] = {n.type, std::min(n.units, it->units)};
  }
  needs.resize(kept);
}

}  // namespace copse
