// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/loop_aware_traverser.hpp"

#include <algorithm>
#include <utility>

#include "match/loop_aware/count_growth.hpp"

namespace copse {

// The simple walk takes whole pools in order, counts at their maximum, and at the top level only
// the highest pools of all requested types. If sizes are equal, counts are fixed and no siblings
// compete, it misses nothing.
bool LoopAwareTraverser::may_help(const CompiledRequest& request) const {
  if (!request.impossible.empty()) return false;
  if (!request.clash.empty() || request.top > 1) return true;
  const PoolTypes& types = placer_.types();
  for (const Level& l : request.levels) {
    if (l.count.moldable() || (!l.slot && types.differ(l.type))) return true;
  }
  const Level& top = request.levels[0];
  return !top.slot && types.nests(top.type, top.type);
}

// Raises the counts of a list, whose pools were placed from `first` on. Its visits have a separate
// bound.
void LoopAwareTraverser::grow(const ListAt& list, std::size_t first, std::uint64_t visits_max) {
  VisitBudget& budget = placer_.budget();
  if (budget.ended || !CountGrowth::may_grow(placer_, list)) return;
  const std::uint64_t most = std::exchange(budget.most, visits_max);
  CountGrowth(placer_, list, first).grow();
  budget.most = most;
  budget.ended = false;
}

// Places every list below the placed pools, from the top on; placed() is the work list.
void LoopAwareTraverser::place_below(std::uint64_t growth_max) {
  for (std::size_t i = 0; i < placer_.placed().size() && !placer_.budget().ended; ++i) {
    const Placed p = placer_.placed()[i];
    const Level& l = placer_.level(p.level);
    if (l.children == 0) continue;
    const ListAt list{p.pool, l.first, l.children,
                      placer_.eligibility().term_below(p.pool, p.term)};
    const std::size_t first = placer_.placed().size();
    if (!placer_.place(list, true)) return;  // it fits, so only the budget can end it
    grow(list, first, growth_max);
  }
}

void LoopAwareTraverser::write(Selection& out) {
  picked_.clear();
  charged_.clear();
  for (const Placed& p : placer_.placed()) {
    const Level& l = placer_.level(p.level);
    picked_.add(placer_.graph(), p.pool, l.label, placer_.exclusive(p.level));
    if (!l.charges.empty()) charged_.push_back({p.pool, p.level, l.charges});
  }
  picked_.finish(placer_.eligibility(), out);
}

LoopAwareTraverser::Answer LoopAwareTraverser::select(const CompiledRequest& request,
                                                      StateView view, std::int64_t start,
                                                      std::int64_t end, std::uint64_t visits_max,
                                                      Selection& out) {
  out.clear();
  visits_max = std::min<std::uint64_t>(visits_max, UINT64_MAX / 4);
  placer_.begin(request, view, start, end, visits_max);
  VisitBudget& budget = placer_.budget();
  if (!placer_.eligibility().open(placer_.graph().root())) return {};
  const ListAt top{kNoPool, 0, request.top, 0};
  if (!placer_.place(top, true))
    return {budget.ended ? Outcome::limit_reached : Outcome::no, budget.visits};
  // Recording takes no more visits than finding; the rest is for raising counts.
  budget.most = 3 * visits_max;
  grow(top, 0, 2 * visits_max);
  place_below(2 * visits_max);
  if (budget.ended) return {Outcome::limit_reached, budget.visits};
  write(out);
  return {Outcome::yes, budget.visits};
}

}  // namespace copse
