// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/depth_search.hpp"

#include "match/loop_aware/slot_places.hpp"

namespace copse {

bool DepthSearch::place(const std::vector<Demand>& demands, bool record) {
  for (const Demand& d : demands) {
    if (!add_steps(d)) return false;
  }
  picked_.resize(steps_.size(), 0);
  first_.resize(steps_.size(), 0);
  if (!go(0, 0, 0)) return false;
  for (const auto& [step, pool] : chosen_) {
    const Step& s = steps_[step];
    if (record) placer_.note(list_, {s.level, s.slot, 1}, pool, s.copy);
  }
  return true;
}

// Copies of a slot are interchangeable: they are ordered by their places and first pools.
bool DepthSearch::add_steps(const Demand& d) {
  const Level& l = placer_.level(d.level);
  if (d.shares > placer_.graph().tree_count()) return false;  // each takes at least one pool
  const std::size_t each = l.slot ? l.children + 1u : 1u;
  if (steps_.size() + static_cast<std::size_t>(d.shares) * each > ListPlacer::kDepthMax) {
    placer_.budget().ended = true;
    return false;
  }
  if (l.slot) places_.try_emplace(d.level, SlotPlaces(placer_).below(list_.at, d.level));
  std::uint32_t before = kNone;
  for (std::uint32_t copy = 0; copy < d.shares; ++copy) {
    const auto here = static_cast<std::uint32_t>(steps_.size());
    steps_.push_back({d.level, l.slot ? kNone : d.slot, copy, kNone, before});
    for (std::uint32_t c = l.first; l.slot && c < l.first + l.children; ++c) {
      const bool first = c == l.first && before != kNone;
      steps_.push_back({c, d.level, copy, here, first ? before + 1 : kNone});
    }
    before = here;
  }
  return true;
}

// Candidates of a step, in order.
const std::vector<PoolId>& DepthSearch::candidates(const Step& s) {
  const PoolId at = place_of(s);
  const auto [known, fresh] = candidates_.try_emplace(std::uint64_t{at.v} << 32 | s.level);
  std::vector<PoolId>& pools = known->second;
  if (!fresh) return pools;
  const std::size_t mark = placer_.sources().mark();
  const Demand d{s.level, s.slot, 1};
  const ListAt list{at, 0, 0, at == list_.at ? list_.term : placer_.term_below(at)};
  const CandidateSources::Source from = placer_.source(at, d);
  CandidateSources::Cursor cursor;
  for (PoolId v; (v = placer_.next(from, d, cursor)) != kNoPool;) {
    if (placer_.budget().ended) break;
    if (placer_.serves(list, d, v)) pools.push_back(v);
  }
  placer_.sources().rewind(mark);
  return pools;
}

PoolId DepthSearch::place_of(const Step& s) const {
  return s.place == kNone ? list_.at : places_.at(s.slot)[picked_[s.place]];
}

// Continues with step n, which has `have` units, from candidate `from` on.
bool DepthSearch::go(std::uint32_t n, std::uint32_t from, std::int64_t have) {
  if (n == steps_.size()) return true;
  if (depth_ >= ListPlacer::kDepthMax) placer_.budget().ended = true;
  if (!placer_.budget().spend()) return false;
  ++depth_;
  const bool good = placer_.level(steps_[n].level).slot ? pick(n) : choose(n, from, have);
  --depth_;
  return good;
}

bool DepthSearch::pick(std::uint32_t n) {
  const Step& s = steps_[n];
  const auto places = static_cast<std::uint32_t>(places_.at(s.level).size());
  for (std::uint32_t i = s.before == kNone ? 0 : picked_[s.before]; i < places; ++i) {
    picked_[n] = i;
    if (go(n + 1, 0, 0)) return true;
    if (placer_.budget().ended) return false;
  }
  return false;
}

bool DepthSearch::choose(std::uint32_t n, std::uint32_t from, std::int64_t have) {
  const Step& s = steps_[n];
  const std::vector<PoolId>& pools = candidates(s);
  const bool begins = have == 0 && from == 0;
  if (begins && s.before != kNone && place_of(steps_[s.before]) == place_of(s)) {
    from = first_[s.before] + 1;
  }
  const std::int64_t units = placer_.level(s.level).count.min;
  for (std::uint32_t i = from; i < pools.size(); ++i) {
    if (!placer_.budget().spend()) return false;
    const PoolId v = pools[i];
    if (!taken_.apart(v)) continue;
    if (begins) first_[n] = i;
    taken_.add(v);
    chosen_.emplace_back(n, v);
    const std::int64_t size = placer_.graph().size(v);
    if (size >= units - have ? go(n + 1, 0, 0) : go(n, i + 1, have + size)) return true;
    chosen_.pop_back();
    taken_.remove(v);
    if (placer_.budget().ended) return false;
  }
  return false;
}

}  // namespace copse
