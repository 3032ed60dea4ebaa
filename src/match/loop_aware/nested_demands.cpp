// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/nested_demands.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "match/loop_aware/disjoint_subtrees.hpp"
#include "match/loop_aware/slot_places.hpp"

namespace copse {

namespace {

// DepthSearch: tries every combination of pools in disjoint subtrees, in order, for demands whose
// pools may be at several depths. Exponential at worst; each step counts as a visit.
class DepthSearch {
 public:
  DepthSearch(ListPlacer& placer, const ListAt& list)
      : placer_(placer), list_(list), taken_(placer.graph()) {}

  bool place(const std::vector<Demand>& demands, bool record);

 private:
  static constexpr std::uint32_t kNone = Demand::kNone;
  struct Step {
    std::uint32_t level;
    std::uint32_t slot;  // kNone, or the level of the slot that it is in
    std::uint32_t copy;
    std::uint32_t place;  // the step that picks where its slot is formed; kNone: at the pool of the
                          // list
    std::uint32_t before;  // the same step of the previous copy; kNone
  };

  bool add_steps(const Demand& d);
  const std::vector<PoolId>& candidates(const Step& step);
  [[nodiscard]] PoolId place_of(const Step& step) const;
  bool go(std::uint32_t n, std::uint32_t from, std::int64_t have);
  bool pick(std::uint32_t n);
  bool choose(std::uint32_t n, std::uint32_t from, std::int64_t have);

  ListPlacer& placer_;
  const ListAt& list_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> picked_, first_;            // by step: its place, its first candidate
  std::map<std::uint32_t, std::vector<PoolId>> places_;  // by slot
  std::unordered_map<std::uint64_t, std::vector<PoolId>> candidates_;
  DisjointSubtrees taken_;
  std::unordered_map<std::uint32_t, std::int64_t> units_;  // taken, by divisible pool
  struct Chosen {
    std::uint32_t step;
    PoolId pool;
    std::int64_t units;
  };
  std::vector<Chosen> chosen_;
  std::uint32_t depth_ = 0;
};

bool DepthSearch::place(const std::vector<Demand>& demands, bool record) {
  for (const Demand& d : demands) {
    if (!add_steps(d)) return false;
  }
  picked_.resize(steps_.size(), 0);
  first_.resize(steps_.size(), 0);
  if (!go(0, 0, 0)) return false;
  for (const auto& [step, pool, units] : chosen_) {
    const Step& s = steps_[step];
    if (record) placer_.note(list_, {s.level, s.slot, 1}, pool, s.copy, units);
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
  const bool divided = placer_.graph().divisible(placer_.level(s.level).type);
  if (begins && s.before != kNone && place_of(steps_[s.before]) == place_of(s)) {
    from = first_[s.before] + (divided ? 0 : 1);
  }
  const std::int64_t units = placer_.level(s.level).count.min;
  for (std::uint32_t i = from; i < pools.size(); ++i) {
    if (!placer_.budget().spend()) return false;
    const PoolId v = pools[i];
    std::int64_t size = placer_.graph().size(v);
    if (divided) {
      size = std::min(placer_.eligibility().units_of(v) - units_[v.v], units - have);
      if (size <= 0) continue;
      units_[v.v] += size;
    } else {
      if (!taken_.apart(v)) continue;
      taken_.add(v);
    }
    if (begins) first_[n] = i;
    chosen_.push_back({n, v, size});
    if (size >= units - have ? go(n + 1, 0, 0) : go(n, i + 1, have + size)) return true;
    chosen_.pop_back();
    if (divided) {
      units_[v.v] -= size;
    } else {
      taken_.remove(v);
    }
    if (placer_.budget().ended) return false;
  }
  return false;
}

}  // namespace

std::vector<TypeId> NestedDemands::types_of(const Demand& demand) const {
  const Level& l = placer_.level(demand.level);
  if (!l.slot) return {l.type};
  std::vector<TypeId> out;
  for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
    out.push_back(placer_.level(c).type);
  }
  return out;
}

bool NestedDemands::meet(const Demand& a, const Demand& b) const {
  const PoolTypes& types = placer_.types();
  for (TypeId x : types_of(a)) {
    for (TypeId y : types_of(b)) {
      if (x == y || types.nests(x, y) || types.nests(y, x)) return true;
    }
  }
  return false;
}

// Splits the demands into parts that cannot compete for pools.
bool NestedDemands::place(std::span<const Demand> demands, bool record) {
  std::vector<Demand> all(demands.begin(), demands.end());
  while (!all.empty()) {
    std::vector<Demand> part{all.front()};
    all.erase(all.begin());
    for (std::size_t i = 0; i < part.size(); ++i) {
      for (std::size_t k = 0; k < all.size();) {
        if (!placer_.budget().spend()) return false;  // quadratic in the request
        if (meet(part[i], all[k])) {
          part.push_back(all[k]);
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
        } else {
          ++k;
        }
      }
    }
    if (!place_meeting(part, record)) return false;
  }
  return true;
}

// Converts a slot that one pool fills into a demand for such pools, wherever it can be formed.
// False if it is not such a slot.
bool NestedDemands::slot_of_one_pool(Demand& d) {
  const Level& slot = placer_.level(d.level);
  const Level& in = placer_.level(slot.first);
  if (slot.children != 1 || in.count.min <= 0 || placer_.graph().divisible(in.type) ||
      in.count.min > placer_.types().size(in.type)) {
    return false;
  }
  std::vector<PoolId>& places = made_.emplace_back(SlotPlaces(placer_).below(list_.at, d.level));
  std::vector<PoolId>& pools = made_.emplace_back();
  std::sort(places.begin(), places.end());
  for (PoolId place : places) {
    for (PoolId c : placer_.graph().children(place)) {
      if (placer_.graph().type(c) == in.type && placer_.budget().spend()) pools.push_back(c);
    }
  }
  placer_.sources().sort(pools, true);
  d = {slot.first, d.level, d.shares, &pools, &places};
  return true;
}

// Whether all demands, slots of one pool among them, are for pools of one type that do not nest.
bool NestedDemands::as_one_type(const std::vector<Demand>& demands, std::vector<Demand>& flat) {
  flat = demands;
  bool one_type = true;
  for (Demand& d : flat) {
    if (placer_.level(d.level).slot) one_type &= slot_of_one_pool(d);
    one_type &= placer_.level(d.level).type == placer_.level(flat[0].level).type;
  }
  const TypeId type = placer_.level(flat[0].level).type;
  return one_type && !placer_.types().nests(type, type);
}

bool NestedDemands::place_meeting(const std::vector<Demand>& demands, bool record) {
  auto is_slot = [&](const Demand& d) { return placer_.level(d.level).slot; };
  auto place_alone = [&](const Demand& d, bool note) {
    return is_slot(d) ? SlotPlaces(placer_).place(list_, d, note)
                      : placer_.place_one(list_, d, note);
  };
  if (demands.size() == 1 && is_slot(demands[0])) return place_alone(demands[0], record);
  std::vector<Demand> flat;
  if (as_one_type(demands, flat)) return placer_.place_by_type(list_, flat, record);
  if (list_.at != kNoPool && std::ranges::none_of(demands, is_slot)) {
    return placer_.place_by_type(list_, demands, record);
  }
  // A demand that cannot be placed alone cannot be placed with others.
  for (const Demand& d : demands) {
    if (!place_alone(d, false)) return false;
  }
  return DepthSearch(placer_, list_).place(demands, record);
}

}  // namespace copse
