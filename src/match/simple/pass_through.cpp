// SPDX-License-Identifier: Apache-2.0
#include "match/simple/pass_through.hpp"

#include "match/simple/candidate_visitor.hpp"
#include "match/simple/slot_former.hpp"

namespace copse {

void PassThrough::explore(PoolId v, std::uint32_t first, std::uint32_t count, bool exclusive,
                          Score term) {
  bool may = false;
  for (std::uint32_t n = first; n < first + count; ++n) {
    const Level& level = walk_.level(n);
    if (level.slot && walk_.eligibility.resolves(v, level)) return slots_.form_at(v, n, term, {});
    if (!level.slot && level.type == walk_.graph.type(v)) {
      visitor_.report(v, n, exclusive, term);
      return;
    }
    may |= walk_.eligibility.may_hold(v, level);
  }
  if (!may || !walk_.eligibility.open(v)) return;
  ++walk_.result.visits;
  if (count == 1 && !walk_.eligibility.has_free(v, walk_.level(first).needs)) return;
  explore_children(v, first, count, exclusive, walk_.eligibility.term_below(v, term));
}

void PassThrough::explore_children(PoolId u, std::uint32_t first, std::uint32_t count,
                                   bool exclusive, Score term) {
  walk_.first.run(
      u, {.first = first, .count = count, .slots_only = false, .passes = true, .shares = 1},
      [&](PoolId v) { explore(v, first, count, exclusive, term); });
}

void PassThrough::find_slots(PoolId u, std::uint32_t slot_number, bool exclusive, Score term) {
  if (walk_.policy.first_found) return explore_children(u, slot_number, 1, exclusive, term);
  const Level& slot = walk_.level(slot_number);
  for (PoolId v : walk_.graph.children(u)) {
    if (walk_.graph.leaf(v)) continue;
    if (walk_.eligibility.resolves(v, slot)) {
      slots_.form_at(v, slot_number, term, {});
    } else if (walk_.eligibility.may_hold(v, slot) && walk_.eligibility.open(v)) {
      find_slots(v, slot_number, exclusive, walk_.eligibility.term_below(v, term));
    }
  }
}

}  // namespace copse
