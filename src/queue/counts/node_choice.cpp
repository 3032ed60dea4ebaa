// SPDX-License-Identifier: Apache-2.0
#include "queue/counts/node_choice.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace copse::queue {

namespace {

template <class T>
using SmallestFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;

struct GroupNodes {
  SmallestFirst<std::uint32_t> free;
  SmallestFirst<std::pair<std::int64_t, std::uint32_t>> busy;  // by the time until which they are

  std::vector<std::uint32_t> take(std::int64_t nodes, const NodeCounts::Start& at) {
    for (; !busy.empty() && busy.top().first <= at.start_s; busy.pop())
      free.push(busy.top().second);
    std::vector<std::uint32_t> out;
    for (; nodes > 0 && !free.empty(); --nodes) {
      out.push_back(free.top());
      busy.emplace(at.end_s, free.top());
      free.pop();
    }
    return out;
  }
};

}  // namespace

std::vector<std::vector<std::uint32_t>> choose_nodes(const NodeGroups& groups,
                                                     std::span<const BusyNode> busy,
                                                     std::span<const NodeCounts::Start> starts) {
  std::vector<std::int64_t> until_s;
  for (const BusyNode& each : busy) {
    if (each.node >= until_s.size()) until_s.resize(each.node + 1, INT64_MIN);
    until_s[each.node] = std::max(until_s[each.node], each.until_s);
  }
  std::vector<GroupNodes> by_group(groups.groups().size());
  for (std::size_t g = 0; g < by_group.size(); ++g) {
    for (const std::uint32_t n : groups.groups()[g].nodes) {
      if (n < until_s.size() && until_s[n] != INT64_MIN) {
        by_group[g].busy.emplace(until_s[n], n);
      } else {
        by_group[g].free.push(n);
      }
    }
  }
  std::vector<std::vector<std::uint32_t>> out;
  for (const NodeCounts::Start& start : starts) {
    auto& nodes = out.emplace_back();
    if (start.use.parts.empty()) nodes = by_group.front().take(start.use.nodes, start);
    for (const auto& [number, amount] : start.use.parts) {
      if (number >= by_group.size()) continue;
      const auto some = by_group[number].take(amount, start);
      nodes.insert(nodes.end(), some.begin(), some.end());
    }
    std::ranges::sort(nodes);
  }
  return out;
}

}  // namespace copse::queue
