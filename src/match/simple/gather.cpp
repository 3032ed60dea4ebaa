// SPDX-License-Identifier: Apache-2.0
//
// Candidates among the children of a matched pool, best first, until their count is covered.
#include <algorithm>

#include "match/simple/matcher.hpp"

namespace copse {

namespace {
constexpr std::int64_t kRunMin = 4;  // for fewer leaves it is quicker to look at each
}

bool Matcher::Shares::add(std::int64_t size) {
  units += size;
  if (units < most) return false;
  units = 0;  // what the last one has too much is not carried over
  return ++found >= wanted;
}

bool Matcher::gather_one(PoolId v, std::uint32_t level, bool exclusive, Score term,
                         Shares& shares) {
  Item item;
  if (scores_.own(v) + term <= 0) return false;
  if (!visit(v, level, exclusive, term, item)) return false;
  push_group(v, level, term, item);
  return shares.add(graph_.size(v));
}

// The best leaves of an idle parent as one group, where it is known without looking that all of
// them may be taken. False: they have to be looked at.
bool Matcher::gather_run(PoolId parent, PoolId first, std::uint32_t count, bool backward,
                         std::uint32_t level_number, Score term, std::int64_t most) {
  const Level& level = probe_.request->levels[level_number];
  const bool plain = level.label == 0 && level.children == 0 && level.needs.empty() &&
                     level.draws.empty() && level.exclusive != Exclusivity::no &&
                     level.count.min == level.count.max;
  if (!plain || most < kRunMin || most > count || level.count.min != most) return false;
  if (probe_.request->constrained()) return false;
  if (probe_.offer != nullptr && level.type == probe_.node) return false;  // each is asked for
  if (probe_.view != View::empty && (!state_.all_usable() || !probe_.idle(parent))) return false;
  const auto taken = static_cast<std::uint32_t>(most);
  const PoolId begin{backward ? first.v + count - taken : first.v};
  Score sum = 0;
  for (std::uint32_t v = begin.v; v < begin.v + taken; ++v) {
    const Score score = scores_.own(PoolId{v}) + term;
    if (score <= 0) return false;
    if (__builtin_add_overflow(sum, score, &sum)) sum = INT64_MAX;
  }
  ++visits_;
  groups_.push_back(
      {sum, most, static_cast<std::uint32_t>(items_.size()), 1, level_number, begin.v});
  items_.push_back({begin, 0, 0, level_number, true, (taken - 1) & 0x7fffffffU});
  return true;
}

// Leaves with consecutive numbers: nothing is below them, so that a bit decides most of them.
bool Matcher::gather_leaves(PoolId first, std::uint32_t count, bool backward, std::uint32_t level,
                            bool exclusive, Score term, Shares& shares) {
  for (std::uint32_t k = 0; k < count; ++k) {
    const PoolId v{first.v + (backward ? count - 1 - k : k)};
    if (gather_one(v, level, exclusive, term, shares)) return true;
  }
  return false;
}

// Puts on needs_ what an entry of the list must have for the level.
void Matcher::list_needs(WatchedList& list, const Level& level, bool exclusive) {
  if (probe_.view != View::now) return;
  const bool idle = takes_exclusively(level, exclusive);
  needs_.push_back({idle ? WatchedList::kIdle : WatchedList::kAvailable, 1});
  for (const Need& n : level.needs) {
    if (n.units <= 0) continue;
    const auto least =
        static_cast<CandidateList::Value>(std::min<std::int64_t>(n.units, INT32_MAX));
    needs_.push_back({state_.watch(list, n.type), least});
  }
}

// Visits the entries of a list in order; `below` is the pool where the walk came from.
void Matcher::gather_list(WatchedList& list, std::uint32_t level_number, bool exclusive, Score term,
                          Shares& shares, PoolId below) {
  const Level& level = probe_.request->levels[level_number];
  const std::size_t first = needs_.size();
  list_needs(list, level, exclusive);
  CandidateList::Position at;
  for (;;) {
    const std::span<const CandidateList::Need> needs(needs_.data() + first, needs_.size() - first);
    if (!list.list.next(at, needs)) break;
    const PoolId v = list.list.pool(at);
    CandidateList::advance(at);
    if (graph_.type(v) != level.type) continue;
    const bool child = graph_.parent(v) == below;
    if (!child && !probe_.path_open(v, below)) continue;
    const Score own_term = child ? term : enclosing_term(v);
    if (gather_one(v, level_number, exclusive, own_term, shares)) break;
  }
  needs_.resize(first);
}

// The interior children of one type, when they are many, in order of preference.
WatchedList& Matcher::child_list(PoolId u, TypeId type) {
  const std::uint64_t key = (std::uint64_t{u.v} << 16) | type.v;
  auto it = child_lists_.find(key);
  if (it != child_lists_.end()) return *it->second;
  std::vector<PoolId> pools;
  for (PoolId c : graph_.children(u)) {
    if (graph_.type(c) == type && !graph_.leaf(c)) pools.push_back(c);
  }
  std::stable_sort(pools.begin(), pools.end(), [&](PoolId a, PoolId b) {
    return scores_.better(scores_.own(a), scores_.own(b));
  });
  WatchedList& made = state_.add_list(pools);
  child_lists_.emplace(key, &made);
  return made;
}

// Interior children of one run in order of preference, those that the openings leave. False if it
// is not known which these are.
bool Matcher::gather_open(PoolId u, const ChildRun& run, std::uint32_t level, bool exclusive,
                          Score term, Shares& shares) {
  if (openings_ == nullptr || policy_.first_found) return false;
  const ChildOrder order = scores_.order(graph_.interior(u), run);
  if (order == ChildOrder::mixed) return false;
  const auto pools = graph_.children(u).subspan(run.first, run.count);
  // In preorder the same pools stand in a row if there are as many as their places.
  if (!openings_->in_a_row(pools)) return false;
  return openings_->visit_open(
      pools.front(), pools.back(), level, order == ChildOrder::backward,
      [&](PoolId v) { return gather_one(v, level, exclusive, term, shares); });
}

// Children that are not simply in order: sorted here, by score or, for `first`, by exploration.
void Matcher::gather_mixed(PoolId u, std::uint32_t level, bool exclusive, Score term,
                           Shares& shares) {
  const TypeId type = probe_.request->levels[level].type;
  const std::size_t first = pools_.size();
  for (PoolId c : graph_.children(u)) {
    if (graph_.type(c) == type) pools_.push_back(c);
  }
  const auto begin = pools_.begin() + static_cast<std::ptrdiff_t>(first);
  if (policy_.first_found) {
    std::sort(begin, pools_.end(), [&](PoolId a, PoolId b) {
      const std::uint64_t wa = exploration_.weight(a), wb = exploration_.weight(b);
      return wa != wb ? wa > wb : graph_.uniq_id(a) > graph_.uniq_id(b);
    });
  } else {
    std::stable_sort(begin, pools_.end(), [&](PoolId a, PoolId b) {
      return scores_.better(scores_.own(a), scores_.own(b));
    });
  }
  for (std::size_t i = first; i < pools_.size(); ++i) {
    if (gather_one(pools_[i], level, exclusive, term, shares)) break;
  }
  pools_.resize(first);
}

// Pushes groups for a level, found among the children of u: in order of preference, until `shares`
// shares of the most units that the level's count can ask for are there.
void Matcher::gather(PoolId u, std::uint32_t level_number, bool exclusive, Score term,
                     std::int64_t wanted) {
  const Level& level = probe_.request->levels[level_number];
  const Shape& shape = graph_.shape(u);
  const ChildRun* only = nullptr;
  std::uint32_t runs = 0, children = 0;
  bool leaves = false;
  for (const ChildRun& run : shape.runs) {
    if (run.type != level.type) continue;
    only = &run;
    ++runs;
    children += run.count;
    leaves |= run.leaves;
  }
  if (runs == 0) return;
  Shares shares{level.most, wanted};
  const std::size_t first_group = groups_.size();
  if (runs == 1 && only->leaves) {
    const PoolId first = graph_.children(u)[only->first];
    const bool newest_first = policy_.first_found && only->by_uniq_id;
    const ChildOrder order =
        policy_.first_found ? ChildOrder::mixed : scores_.order(graph_.interior(u), *only);
    if (exclusive && wanted == 1 && only->size == 1 &&
        (newest_first || order != ChildOrder::mixed) &&
        gather_run(u, first, only->count, newest_first || order == ChildOrder::backward,
                   level_number, term, level.most)) {
      return;
    }
    if (newest_first) {
      gather_leaves(first, only->count, true, level_number, exclusive, term, shares);
    } else if (order != ChildOrder::mixed) {
      gather_leaves(first, only->count, order == ChildOrder::backward, level_number, exclusive,
                    term, shares);
    } else {
      gather_mixed(u, level_number, exclusive, term, shares);
    }
  } else if (!leaves && children > Exploration::kFew && runs == 1 &&
             gather_open(u, *only, level_number, exclusive, term, shares)) {
  } else if (!leaves && children > Exploration::kFew) {
    WatchedList& list = policy_.first_found ? exploration_.list(u) : child_list(u, level.type);
    gather_list(list, level_number, exclusive, term, shares, u);
  } else if (const ChildOrder order = scores_.order(graph_.interior(u), *only);
             runs == 1 && !policy_.first_found && order != ChildOrder::mixed) {
    const auto run = graph_.children(u).subspan(only->first, only->count);
    for (std::uint32_t k = 0; k < only->count; ++k) {
      const PoolId v = run[order == ChildOrder::backward ? only->count - 1 - k : k];
      if (gather_one(v, level_number, exclusive, term, shares)) break;
    }
  } else {
    gather_mixed(u, level_number, exclusive, term, shares);
  }
  if (policy_.first_found) sort_groups(first_group, groups_.size());
}

// Puts groups in order of preference; equal scores keep the order of discovery.
void Matcher::sort_groups(std::size_t first, std::size_t last) {
  const auto begin = groups_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = groups_.begin() + static_cast<std::ptrdiff_t>(last);
  auto better = [&](const Group& a, const Group& b) { return scores_.better(a.score, b.score); };
  if (!std::is_sorted(begin, end, better)) std::stable_sort(begin, end, better);
}

// The worst first; equal scores keep the order of discovery here too.
void Matcher::sort_reversed(std::size_t first, std::size_t last) {
  const auto begin = groups_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = groups_.begin() + static_cast<std::ptrdiff_t>(last);
  auto worse = [&](const Group& a, const Group& b) { return scores_.better(b.score, a.score); };
  if (!std::is_sorted(begin, end, worse)) std::stable_sort(begin, end, worse);
}

}  // namespace copse
