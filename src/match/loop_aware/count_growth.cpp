// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/count_growth.hpp"

#include <algorithm>
#include <map>

#include "match/loop_aware/slot_places.hpp"

namespace copse {

CountGrowth::CountGrowth(ListPlacer& placer, const ListAt& list, std::size_t first)
    : placer_(placer), list_(list), first_(first), taken_(placer.graph()) {
  for (std::size_t i = first; i < placer.placed().size(); ++i) taken_.add(placer.placed()[i].pool);
}

bool CountGrowth::may_grow(const ListPlacer& placer, const ListAt& list) {
  for (std::uint32_t n = list.first; n < list.first + list.count; ++n) {
    const Level& l = placer.level(n);
    if (l.count.moldable()) return true;
    for (std::uint32_t c = l.first; l.slot && c < l.first + l.children; ++c) {
      if (placer.level(c).count.moldable()) return true;
    }
  }
  return false;
}

void CountGrowth::grow() {
  for (std::uint32_t n = list_.first; n < list_.first + list_.count; ++n) {
    const Level& l = placer_.level(n);
    if (!l.slot) {
      if (l.count.moldable()) grow_units(n, kNone);
      continue;
    }
    if (l.count.moldable()) grow_slots(n);
    for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
      if (placer_.level(c).count.moldable()) grow_units(c, n);
    }
  }
}

void CountGrowth::undo(std::size_t mark) {
  for (std::size_t i = mark; i < placer_.placed().size(); ++i) {
    taken_.remove(placer_.placed()[i].pool);
  }
  placer_.placed().resize(mark);
}

const std::vector<PoolId>& CountGrowth::candidates(PoolId at, std::uint32_t n) {
  const auto [known, fresh] = candidates_.try_emplace(std::uint64_t{at.v} << 32 | n);
  std::vector<PoolId>& pools = known->second;
  if (!fresh) return pools;
  const std::size_t mark = placer_.sources().mark();
  const Demand d{n, kNone, 1};
  const CandidateSources::Source from = placer_.source(at, d);
  CandidateSources::Cursor cursor;
  for (PoolId v; (v = placer_.next(from, d, cursor)) != kNoPool;) pools.push_back(v);
  placer_.sources().rewind(mark);
  return pools;
}

// Adds pools to a share until it has `units`. Added pools stay if they are not enough.
bool CountGrowth::reach(Share& share, std::uint32_t n, std::uint32_t slot, std::int64_t units) {
  const Demand d{n, slot, 1};
  const Score term =
      share.at == kNoPool || share.at == list_.at ? list_.term : placer_.term_below(share.at);
  const ListAt list{share.at, 0, 0, term};
  const std::vector<PoolId>& pools = candidates(share.at, n);
  while (share.units < units && share.next < pools.size() && !placer_.budget().ended) {
    const PoolId v = pools[share.next++];
    if (!placer_.budget().spend() || !taken_.apart(v) || !placer_.serves(list, d, v)) continue;
    share.units += placer_.graph().size(v);
    taken_.add(v);
    placer_.note(list_, d, v, share.copy);
  }
  return share.units >= units;
}

// All shares of a level grow to the next count of its range, as long as they can.
void CountGrowth::grow_units(std::uint32_t n, std::uint32_t slot) {
  std::map<std::uint32_t, Share> shares;
  for (std::size_t i = first_; i < placer_.placed().size(); ++i) {
    const Placed& p = placer_.placed()[i];
    if (p.level != n) continue;
    Share& share = shares.try_emplace(p.copy, Share{p.at, p.copy}).first->second;
    share.units += placer_.graph().size(p.pool);
  }
  const Count& count = placer_.level(n).count;
  for (;;) {
    std::int64_t least = INT64_MAX;
    for (const auto& [copy, share] : shares) least = std::min(least, share.units);
    const std::int64_t next = count.after(count.effective(least));
    if (next == 0) return;
    const std::size_t mark = placer_.placed().size();
    for (auto& [copy, share] : shares) {
      if (reach(share, n, slot, next)) continue;
      undo(mark);
      return;
    }
  }
}

// Forms one more slot at a place, if possible.
bool CountGrowth::form(PoolId place, std::uint32_t n, std::uint32_t copy) {
  const Level& l = placer_.level(n);
  const std::size_t mark = placer_.placed().size();
  for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
    Share share{place, copy};
    if (reach(share, c, n, placer_.level(c).count.min)) continue;
    undo(mark);
    return false;
  }
  return true;
}

void CountGrowth::grow_slots(std::uint32_t n) {
  const Level& l = placer_.level(n);
  std::vector<PoolId> places{list_.at};
  if (list_.at == kNoPool || !placer_.eligibility().resolves(list_.at, l)) {
    places = SlotPlaces(placer_).below(list_.at, n);
  }
  std::size_t at = 0;
  for (std::int64_t now = l.count.min, next; (next = l.count.after(now)) != 0; now = next) {
    const std::size_t mark = placer_.placed().size();
    for (std::int64_t copy = now; copy < next; ++copy) {
      while (at < places.size() && !placer_.budget().ended &&
             !form(places[at], n, static_cast<std::uint32_t>(copy))) {
        ++at;
      }
      if (at < places.size() && !placer_.budget().ended) continue;
      undo(mark);
      return;
    }
  }
}

}  // namespace copse
