// SPDX-License-Identifier: Apache-2.0
#include "match/simple/child_search.hpp"

#include <algorithm>

#include "match/simple/candidate_visitor.hpp"

namespace copse {

namespace {
constexpr std::int64_t kRunMin = 4;  // for fewer leaves it is faster to visit each
}

// Pushes the best leaves of an idle parent as one group, if it is known that all of them may be
// taken. False: each has to be visited.
bool ChildSearch::gather_run(PoolId parent, const ChildRun& run, bool backward,
                             std::uint32_t level_number, Score term) {
  const Level& level = walk_.level(level_number);
  const Eligibility& eligibility = walk_.eligibility;
  const bool plain = level.label == 0 && level.filter == 0 && level.near == nullptr &&
                     level.children == 0 && level.needs.empty() && level.charges.empty() &&
                     level.exclusive != Exclusivity::no && level.count.min == level.count.max;
  const std::int64_t most = level.most;
  if (!plain || most < kRunMin || most > run.count || level.count.min != most) return false;
  if (eligibility.request->constrained()) return false;
  if (eligibility.nodes != nullptr && level.type == eligibility.node) return false;
  // each node has to be checked
  if (eligibility.layered() && level.type == eligibility.node) return false;
  if (eligibility.view != StateView::empty &&
      (!walk_.state.all_usable() || !eligibility.idle(parent))) {
    return false;
  }
  const auto taken = static_cast<std::uint32_t>(most);
  const PoolId first = walk_.graph.children(parent)[run.first];
  const PoolId begin{backward ? first.v + run.count - taken : first.v};
  Score sum = 0;
  for (std::uint32_t v = begin.v; v < begin.v + taken; ++v) {
    const Score score = walk_.scores.own(PoolId{v}) + term;
    if (score <= 0) return false;
    if (__builtin_add_overflow(sum, score, &sum)) sum = INT64_MAX;
  }
  ++walk_.result.visits;
  walk_.arena.push(sum, most, level.type,
                   {begin, 0, 0, level_number, true, false, false, (taken - 1) & 0x1fffffffU});
  return true;
}

void ChildSearch::gather_list(WatchedList& list, std::uint32_t level_number, bool exclusive,
                              Score term, ShareCount& shares, PoolId below) {
  const Level& level = walk_.level(level_number);
  const std::uint32_t column =
      takes_exclusively(level, exclusive) ? WatchedList::kIdle : WatchedList::kAvailable;
  walk_.lists.run(list, column, level.needs, level_number, [&](PoolId v) {
    if (walk_.graph.type(v) != level.type) return false;
    const bool child = walk_.graph.parent(v) == below;
    if (!child && !walk_.eligibility.path_open(v, below)) return false;
    const Score own_term = child ? term : walk_.eligibility.enclosing_term(v);
    return visitor_.gather(v, level_number, exclusive, own_term, shares);
  });
}

WatchedList& ChildSearch::child_list(PoolId u, TypeId type) {
  const auto it = lists_.find(key(u, type));
  if (it != lists_.end()) return *it->second;
  std::vector<PoolId> pools;
  for (PoolId c : walk_.graph.children(u)) {
    if (walk_.graph.type(c) == type && !walk_.graph.leaf(c)) pools.push_back(c);
  }
  std::stable_sort(pools.begin(), pools.end(), [&](PoolId a, PoolId b) {
    return walk_.scores.better(walk_.scores.own(a), walk_.scores.own(b));
  });
  WatchedList& made = walk_.state.lists().add(pools);
  lists_.emplace(key(u, type), &made);
  return made;
}

void ChildSearch::attached(const GraphChange& change) {
  const PoolId top = change.top;
  const auto it = lists_.find(key(change.parent, walk_.graph.type(top)));
  if (it == lists_.end() || walk_.graph.leaf(top)) return;
  walk_.state.lists().insert(*it->second, top, [&](PoolId a) {
    return !walk_.scores.better(walk_.scores.own(top), walk_.scores.own(a));
  });
}

// Visits the interior children of one run that the bounds do not exclude, in order of preference.
// False if these are not known.
bool ChildSearch::gather_open(PoolId u, const ChildRun& run, ChildOrder order, std::uint32_t level,
                              bool exclusive, Score term, ShareCount& shares) {
  if (walk_.eligibility.bounds == nullptr || order == ChildOrder::mixed) return false;
  const auto pools = walk_.graph.children(u).subspan(run.first, run.count);
  // The run is contiguous in preorder if the number of pools equals the range of their places.
  if (!walk_.eligibility.bounds->in_a_row(pools)) return false;
  return walk_.eligibility.bounds->visit_open(
      pools.front(), pools.back(), level, order == ChildOrder::backward,
      [&](PoolId v) { return visitor_.gather(v, level, exclusive, term, shares); });
}

void ChildSearch::gather_ordered(PoolId u, const ChildRun& run, bool backward, std::uint32_t level,
                                 bool exclusive, Score term, ShareCount& shares) {
  const auto pools = walk_.graph.children(u).subspan(run.first, run.count);
  for (std::size_t k = 0; k < run.count; ++k) {
    const PoolId v = pools[backward ? run.count - 1 - k : k];
    if (visitor_.gather(v, level, exclusive, term, shares)) return;
  }
}

// If the walk is restricted to some nodes, visits those that are children of u; false if it is not.
bool ChildSearch::gather_chosen(PoolId u, std::uint32_t level, bool exclusive, Score term,
                                ShareCount& shares) {
  const Eligibility& eligibility = walk_.eligibility;
  if (eligibility.nodes == nullptr || walk_.level(level).type != eligibility.node) return false;
  if (walk_.graph.changed()) return false;  // pools below u may have any numbers
  const std::vector<PoolId>& listed = eligibility.nodes->listed();
  const std::size_t first = pools_.size();
  for (auto node = std::ranges::lower_bound(listed, u);
       node != listed.end() && *node < walk_.graph.end(u); ++node) {
    if (walk_.graph.parent(*node) == u) pools_.push_back(*node);
  }
  std::stable_sort(pools_.begin() + static_cast<std::ptrdiff_t>(first), pools_.end(),
                   [&](PoolId a, PoolId b) {
                     return walk_.scores.better(walk_.scores.own(a), walk_.scores.own(b));
                   });
  for (std::size_t i = first; i < pools_.size(); ++i) {
    if (visitor_.gather(pools_[i], level, exclusive, term, shares)) break;
  }
  pools_.resize(first);
  return true;
}

// Children that are not in order: sorted here, by score or, for `first`, by exploration.
void ChildSearch::gather_mixed(PoolId u, std::uint32_t level, bool exclusive, Score term,
                               ShareCount& shares) {
  const TypeId type = walk_.level(level).type;
  const std::size_t first = pools_.size();
  for (PoolId c : walk_.graph.children(u)) {
    if (walk_.graph.type(c) == type) pools_.push_back(c);
  }
  const auto begin = pools_.begin() + static_cast<std::ptrdiff_t>(first);
  if (walk_.policy.first_found) {
    walk_.exploration.sort(begin, pools_.end());
  } else {
    std::stable_sort(begin, pools_.end(), [&](PoolId a, PoolId b) {
      return walk_.scores.better(walk_.scores.own(a), walk_.scores.own(b));
    });
  }
  for (std::size_t i = first; i < pools_.size(); ++i) {
    if (visitor_.gather(pools_[i], level, exclusive, term, shares)) break;
  }
  pools_.resize(first);
}

ChildSearch::Runs ChildSearch::runs_of(PoolId u, TypeId type) const {
  Runs out;
  for (const ChildRun& run : walk_.graph.shape(u).runs) {
    if (run.type != type) continue;
    out.only = &run;
    ++out.count;
    out.children += run.count;
    out.leaves |= run.leaves;
  }
  return out;
}

// The order of preference of children of one type; mixed: they have to be sorted.
ChildOrder ChildSearch::order_of(PoolId u, const Runs& runs) const {
  if (runs.count > 1) return ChildOrder::mixed;
  if (!walk_.policy.first_found) return walk_.scores.order(walk_.graph.interior(u), *runs.only);
  // The last created leaf first.
  return runs.leaves && runs.only->by_uniq_id ? ChildOrder::backward : ChildOrder::mixed;
}

void ChildSearch::gather(PoolId u, std::uint32_t level_number, bool exclusive, Score term,
                         std::int64_t wanted) {
  const Level& level = walk_.level(level_number);
  const Runs runs = runs_of(u, level.type);
  if (runs.count == 0) return;
  const bool many = !runs.leaves && runs.children > Exploration::kFew;
  const bool first = walk_.policy.first_found;
  const ChildOrder order = order_of(u, runs);
  const bool backward = order == ChildOrder::backward;
  ShareCount shares{level.most, wanted, walk_.graph.divisible(level.type)};
  const std::size_t first_group = walk_.arena.groups.size();
  if (gather_chosen(u, level_number, exclusive, term, shares)) return;
  if (many) {
    if (!gather_open(u, *runs.only, order, level_number, exclusive, term, shares)) {
      WatchedList& list = first ? walk_.exploration.list(u) : child_list(u, level.type);
      gather_list(list, level_number, exclusive, term, shares, u);
    }
  } else if (order == ChildOrder::mixed) {
    gather_mixed(u, level_number, exclusive, term, shares);
  } else if (!runs.leaves || !exclusive || wanted > 1 || runs.only->size != 1 || shares.divided ||
             !gather_run(u, *runs.only, backward, level_number, term)) {
    gather_ordered(u, *runs.only, backward, level_number, exclusive, term, shares);
  }
  if (first) walk_.sort_groups(first_group, walk_.arena.groups.size());
}

}  // namespace copse
