// SPDX-License-Identifier: Apache-2.0
#include "rset/rset_scheduling.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/idset_algebra.hpp"
#include "rset/rset_positions.hpp"

namespace copse {

namespace {

// What two children must share to become one.
std::string layout_key(const RScheduling::Child& child) {
  std::string key = child.topo;
  for (const auto& [name, value] : child.more) ((key += '\0') += name) += '\0' + value;
  return key;
}

template <class Entry>
Idset ranks_of(const std::vector<Entry>& entries) {
  std::vector<Idset::Range> ranges;
  for (const Entry& entry : entries) {
    ranges.insert(ranges.end(), entry.ranks.ranges().begin(), entry.ranks.ranges().end());
  }
  return idset_of(std::move(ranges));
}

}  // namespace

Idset child_ranks(const RScheduling& scheduling) { return ranks_of(scheduling.children); }

void align(RScheduling& scheduling, const Idset& ranks) {
  const Idset named = child_ranks(scheduling);
  if (named == ranks || named.count() != ranks.count()) return;
  const Positions from(named), to(ranks);
  map_ranks(scheduling, [&](const Idset& of) {
    std::vector<Idset::Range> moved;
    from.each_position(
        of, [&](std::int64_t first, std::int64_t last) { to.append_ids(first, last, moved); });
    return idset_of(std::move(moved));
  });
}

void trim(RScheduling& scheduling, const Idset& ranks) {
  map_ranks(scheduling, [&](const Idset& of) { return intersect(of, ranks); });
}

void join(RScheduling& scheduling) {
  auto& children = scheduling.children;
  if (children.size() < 2) return;
  std::unordered_map<std::string, std::size_t> by_layout;
  std::vector<std::vector<Idset::Range>> ranges;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const auto [at, is_new] = by_layout.try_emplace(layout_key(children[i]), kept);
    if (is_new) {
      ranges.emplace_back();
      if (kept != i) children[kept] = std::move(children[i]);
      ++kept;
    }
    const auto& more = children[is_new ? kept - 1 : i].ranks.ranges();
    auto& to = ranges[at->second];
    to.insert(to.end(), more.begin(), more.end());
  }
  children.resize(kept);
  for (std::size_t i = 0; i < kept; ++i) children[i].ranks = idset_of(std::move(ranges[i]));
}

void add(RScheduling& into, const RScheduling& more) {
  if (!into.present()) {
    into = more;
    return;
  }
  if (!into.treepool || !more.treepool) return;
  const Idset known = child_ranks(into), mapped = unite(known, ranks_of(into.topo_ids));
  std::unordered_map<std::string, std::size_t> by_layout;
  std::vector<std::vector<Idset::Range>> further(into.children.size());  // joined at the end, once
  for (std::size_t i = 0; i < into.children.size(); ++i) {
    by_layout.try_emplace(layout_key(into.children[i]), i);
  }
  for (const RScheduling::Child& child : more.children) {
    const Idset ranks = subtract(child.ranks, known);
    if (ranks.empty()) continue;
    const auto [at, is_new] = by_layout.try_emplace(layout_key(child), into.children.size());
    if (is_new) {
      into.children.push_back({{}, child.topo, child.more, {}});
      further.emplace_back();
    }
    auto& to = further[at->second];
    to.insert(to.end(), ranks.ranges().begin(), ranks.ranges().end());
  }
  for (std::size_t i = 0; i < further.size(); ++i) {
    if (further[i].empty()) continue;
    into.children[i].ranks = unite(into.children[i].ranks, idset_of(std::move(further[i])));
  }
  for (const REntry& ids : more.topo_ids) {
    Idset ranks = subtract(ids.ranks, mapped);
    if (!ranks.empty()) into.topo_ids.push_back({std::move(ranks), ids.children});
  }
}

const Layout* Layouts::of_rank(std::int64_t rank) const {
  const auto after = std::ranges::upper_bound(ranks, rank, {}, &Ranks::first);
  if (after == ranks.begin() || rank > std::prev(after)->last) return nullptr;
  return &layouts[std::prev(after)->layout];
}

}  // namespace copse
