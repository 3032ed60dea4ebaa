// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle/groups.hpp"

#include <algorithm>
#include <tuple>

namespace copse::queue_oracle {

std::vector<std::size_t> Groups::order(const std::vector<int>& allowed) const {
  std::vector<std::tuple<std::int64_t, bool, std::size_t>> found;
  for (std::size_t g = 0; g < all.size(); ++g) {
    const int node = all[g].nodes.front();
    const auto has = [&](const std::vector<int>& set) { return std::ranges::count(set, node) > 0; };
    if (!has(allowed)) continue;
    found.emplace_back(std::ranges::count_if(sets, has), all[g].reserved.empty(), g);
  }
  std::ranges::sort(found);
  std::vector<std::size_t> out;
  for (const auto& each : found) out.push_back(std::get<2>(each));
  return out;
}

bool Groups::reserved(std::size_t group, Time at) const {
  return std::ranges::any_of(all[group].reserved, [&](const std::pair<Time, Time>& time) {
    return time.first <= at && at < time.second;
  });
}

}  // namespace copse::queue_oracle
