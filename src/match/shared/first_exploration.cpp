// SPDX-License-Identifier: Apache-2.0
#include "match/shared/first_exploration.hpp"

namespace copse {

void FirstExploration::begin_counts(const Wanted& wanted) {
  const auto begin = static_cast<std::ptrdiff_t>(counts_.size());
  for (std::uint32_t n = wanted.first; n < wanted.first + wanted.count; ++n) {
    const Level& level = eligibility_.request->levels[n];
    const auto same = std::find_if(counts_.begin() + begin, counts_.end(),
                                   [&](const TypeCount& c) { return c.type == level.type; });
    if (same == counts_.end()) {
      counts_.push_back(
          {level.type, {level.most, wanted.shares, eligibility_.graph.divisible(level.type)}});
    } else {
      same->shares.most = std::max(same->shares.most, level.most);  // alternative slots
    }
  }
}

bool FirstExploration::wants(TypeId type, const Wanted& wanted) const {
  if (wanted.slots_only) return false;
  for (std::uint32_t n = wanted.first; n < wanted.first + wanted.count; ++n) {
    const Level& level = eligibility_.request->levels[n];
    if (!level.slot && level.type == type) return true;
  }
  return false;
}

// Many interior children are kept in a list, ordered by weight.
bool FirstExploration::listed(PoolId u, const Wanted& wanted) const {
  std::uint32_t interior = 0;
  for (const ChildRun& run : eligibility_.graph.shape(u).runs) {
    if (!run.leaves) interior += run.count;
    if (run.leaves && run.count > 0 && wants(run.type, wanted)) return false;
  }
  return interior > Exploration::kFew && !has_further(u);
}

// The requested level, if no interior child of another type may lead to it.
std::uint32_t FirstExploration::only_wanted(PoolId u, const Wanted& wanted) const {
  if (wanted.count != 1) return ListSearch::kNoLevel;
  for (const ChildRun& run : eligibility_.graph.shape(u).runs) {
    if (!run.leaves && !wants(run.type, wanted)) return ListSearch::kNoLevel;
  }
  return wanted.first;
}

bool FirstExploration::enough_of(TypeId type, std::size_t first_count) const {
  return std::any_of(counts_.begin() + static_cast<std::ptrdiff_t>(first_count), counts_.end(),
                     [&](const TypeCount& c) { return c.type == type && c.shares.full(); });
}

bool FirstExploration::count(std::size_t before, std::size_t first_count) {
  const auto first = counts_.begin() + static_cast<std::ptrdiff_t>(first_count);
  for (std::size_t g = before; g < arena_.groups.size(); ++g) {
    const ChoiceGroup& group = arena_.groups[g];
    for (auto c = first; c != counts_.end(); ++c) {
      if (c->type == group.type) c->shares.add(group.size);
    }
  }
  return std::all_of(first, counts_.end(), [](const TypeCount& c) { return c.shares.full(); });
}

void FirstExploration::push_children(PoolId u, const Wanted& wanted) {
  const ResourceGraph& graph = eligibility_.graph;
  const auto begin = static_cast<std::ptrdiff_t>(pools_.size());
  if (!has_further(u)) {
    const auto children = graph.children(u);
    for (const ChildRun& run : graph.shape(u).runs) {
      if (!wants(run.type, wanted) && (run.leaves || !wanted.passes)) continue;
      const auto some = children.subspan(run.first, run.count);
      pools_.insert(pools_.end(), some.begin(), some.end());
    }
  } else {
    graph.append_children(u, pools_);
  }
  order_.sort(pools_.begin() + begin, pools_.end());
}

}  // namespace copse
