// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/list_placer.hpp"

#include <algorithm>
#include <map>

#include "match/loop_aware/nested_demands.hpp"
#include "match/loop_aware/sibling_matching.hpp"
#include "match/loop_aware/sibling_packing.hpp"
#include "match/loop_aware/slot_places.hpp"

namespace copse {

// Numbers the interior pools from the last to the first, so that children come before parents.
void SubtreeClasses::make(const Policy& policy) {
  if (std::exchange(made_, true) || !policy.scores_by_id()) return;
  for (std::uint32_t v = 0; v < graph_.tree_count(); ++v) {
    if (graph_.id(PoolId{v}) < -1) return;  // scores by id must be above 0
  }
  std::map<std::vector<std::uint64_t>, std::uint32_t> known;
  std::vector<std::uint64_t> key;
  classes_.resize(graph_.interior_count());
  for (std::uint32_t i = graph_.interior_count(); i-- > 0;) {
    const PoolId p = graph_.interior_pool(i);
    key.assign({graph_.type(p).v, static_cast<std::uint64_t>(graph_.size(p)), graph_.shape_id(i)});
    // Runs of equal children: their class, or type and size if they are leaves, and how many.
    for (PoolId c : graph_.children(p)) {
      const bool leaf = graph_.leaf(c);
      const std::uint64_t what = leaf ? UINT64_C(1) << 32 | std::uint64_t{graph_.type(c).v} << 33
                                      : classes_[graph_.interior(c)];
      const auto size = leaf ? static_cast<std::uint64_t>(graph_.size(c)) : 0;
      if (key.size() > 3 && key[key.size() - 3] == what && key[key.size() - 2] == size) {
        ++key.back();
      } else {
        key.insert(key.end(), {what, size, 1});
      }
    }
    classes_[i] = known.emplace(key, static_cast<std::uint32_t>(known.size())).first->second;
  }
}

ListPlacer::ListPlacer(const ResourceGraph& graph, State& state, const Policy& policy)
    : graph_(graph),
      state_(state),
      policy_(policy),
      scores_(graph, policy),
      properties_version_(graph.properties_version()),
      paths_(graph),
      eligibility_{graph, state, scores_, graph.find_type("node"),
                   paths_.any() ? &paths_ : nullptr},
      types_(graph),
      sources_(eligibility_, state, policy, types_),
      classes_(graph) {}

// Scores may read properties.
void ListPlacer::forget_orders() {
  if (policy_.scores_by_id() || properties_version_ == graph_.properties_version()) return;
  properties_version_ = graph_.properties_version();
  scores_.update();
  sources_.forget_orders();
}

void ListPlacer::begin(const CompiledRequest& request, StateView view, std::int64_t start,
                       std::int64_t end, std::uint64_t visits_max) {
  forget_orders();
  classes_.make(policy_);
  eligibility_.request = &request;
  eligibility_.view = view;
  eligibility_.start = start;
  eligibility_.end = end;
  budget_ = {.most = visits_max};
  exclusive_.assign(request.levels.size(), false);  // first: whether in a slot, or below an
                                                    // exclusive pool
  for (std::uint32_t n = 0; n < request.levels.size(); ++n) {  // parents precede children
    const Level& l = request.levels[n];
    const bool inside = exclusive_[n];
    exclusive_[n] = !l.slot && takes_exclusively(l, inside);
    for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
      if (inside || exclusive_[n] || l.slot) exclusive_[c] = true;
    }
  }
  fits_.clear();
  class_fits_.clear();
  sources_.rewind(0);
  demands_.clear();
  placed_.clear();
}

// --- One pool

// Whether v and all pools below it are in their initial state, as far as a request can tell.
bool ListPlacer::like_new(PoolId v) const {
  if (!classes_.any() || eligibility_.request->constrained()) return false;
  if (!eligibility_.request->filters.empty()) return false;
  if (eligibility_.availability != nullptr) return false;
  return eligibility_.view == StateView::empty || (state_.all_usable() && eligibility_.idle(v));
}

// Whether v could serve a level of its type if it were alone: v itself, and its list below it.
// The depth is bounded by that of the request.
bool ListPlacer::fits(PoolId v, std::uint32_t n, Score term) {
  if (!budget_.spend()) return false;
  const Level& l = level(n);
  std::uint64_t key = std::uint64_t{n} << 32 | v.v;
  if (l.children > 0) {
    if (graph_.leaf(v)) return false;
    if (const auto known = fits_.find(key); known != fits_.end()) return known->second;
  }
  bool good = scores_.own(v) + term > 0 && eligibility_.request->agrees(v, l);
  good = good && eligibility_.open(v);
  if (exclusive_[n]) good = good && l.exclusive != Exclusivity::no && eligibility_.idle(v);
  good = good && eligibility_.has_free(v, l.needs) && eligibility_.can_charge(v, l);
  if (!good || l.children == 0) return good;
  const bool fresh = like_new(v);
  auto& answers = fresh ? class_fits_ : fits_;
  if (fresh) {
    key = std::uint64_t{n} << 32 | classes_.of(v);
    if (const auto known = answers.find(key); known != answers.end()) return known->second;
  }
  good = place({v, l.first, l.children, eligibility_.term_below(v, term)}, false);
  if (!budget_.ended) answers.emplace(key, good);
  return good;
}

bool ListPlacer::serves(const ListAt& list, const Demand& demand, PoolId v) {
  if (list.at == kNoPool && demand.among == nullptr) {
    if (!budget_.spend() || !eligibility_.path_open(v, graph_.root())) return false;
  }
  return fits(v, demand.level, term_at(list, v));
}

void ListPlacer::note(const ListAt& list, const Demand& demand, PoolId pool, std::uint32_t copy,
                      std::int64_t units) {
  const bool anywhere = list.at == kNoPool && demand.slot == Demand::kNone;
  const PoolId at = anywhere ? kNoPool : graph_.parent(pool);
  placed_.push_back({pool, demand.level, demand.slot, at, copy, term_at(list, pool), units});
}

// --- One list

// Pushes the demands of the list. `nested`: whether pools may be at several depths. False if some
// count can never be covered.
bool ListPlacer::push_demands(const ListAt& list, bool& nested) {
  nested = list.at == kNoPool;
  for (std::uint32_t n = list.first; n < list.first + list.count; ++n) {
    const Level& l = level(n);
    if (l.count.min <= 0) return false;
    if (!l.slot) {
      demands_.push_back({n, Demand::kNone, 1});
    } else if (list.at != kNoPool && eligibility_.resolves(list.at, l)) {
      for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
        if (level(c).count.min <= 0) return false;
        demands_.push_back({c, n, l.count.min});
      }
    } else {
      nested = true;
      demands_.push_back({n, Demand::kNone, l.count.min});
    }
  }
  return true;
}

bool ListPlacer::place(const ListAt& list, bool record) {
  const std::size_t base = demands_.size(), placed = placed_.size();
  if (list.count > CandidateSources::kFew) budget_.visits += list.count;  // long lists cost extra
  bool nested = false;
  bool good = push_demands(list, nested);
  if (good && demands_.size() == base + 1 && level(demands_[base].level).slot) {
    good = SlotPlaces(*this).place(list, Demand(demands_[base]), record);
  } else if (good && nested) {
    good = NestedDemands(*this, list).place(std::span(demands_).subspan(base), record);
  } else if (good) {
    good = by_type(list, base, record);
  }
  demands_.resize(base);
  if (!good) placed_.resize(placed);
  return good && !budget_.ended;
}

bool ListPlacer::place_by_type(const ListAt& list, std::span<const Demand> demands, bool record) {
  const std::size_t base = demands_.size();
  demands_.insert(demands_.end(), demands.begin(), demands.end());
  const bool good = by_type(list, base, record);
  demands_.resize(base);
  return good;
}

// Places demands_[base …). That stack may be reallocated while pools are checked.
bool ListPlacer::by_type(const ListAt& list, std::size_t base, bool record) {
  auto type = [&](const Demand& d) { return level(d.level).type; };
  std::sort(demands_.begin() + static_cast<std::ptrdiff_t>(base), demands_.end(),
            [&](const Demand& a, const Demand& b) {
              return std::pair{type(a), a.level} < std::pair{type(b), b.level};
            });
  const std::size_t last = demands_.size();
  for (std::size_t i = base, end = base; i < last; i = end) {
    while (end < last && type(demands_[end]) == type(demands_[i])) ++end;
    const std::span<const Demand> same(&demands_[i], end - i);
    if (graph_.divisible(type(demands_[i]))) {
      if (!place_units(list, std::vector(same.begin(), same.end()), record)) return false;
      continue;
    }
    const bool alone = end == i + 1;
    const bool good = alone ? place_one(list, Demand(demands_[i]), record)
                            : compete(list, {&demands_[i], &demands_[i] + (end - i)}, record);
    if (!good) return false;
  }
  return true;
}

// Each demand takes what the demands before it left, pool by pool. The candidates of all are the
// same: pools of one type below one place, or anywhere.
bool ListPlacer::place_units(const ListAt& list, std::span<const Demand> demands, bool record) {
  const std::size_t mark = sources_.mark();
  const CandidateSources::Source from = source(list.at, demands.front());
  std::unordered_map<std::uint32_t, std::int64_t> taken;  // by pool; of earlier demands
  bool good = true;
  for (const Demand& demand : demands) {
    const std::int64_t units = level(demand.level).count.min;
    CandidateSources::Cursor cursor;
    PoolId v = kNoPool;
    std::int64_t left = 0;  // of v
    for (std::int64_t share = 0; share < demand.shares && good; ++share) {
      for (std::int64_t have = 0; have < units && good;) {
        if (left == 0) {
          v = next(from, demand, cursor);
          good = v != kNoPool && !budget_.ended;
          if (good && serves(list, demand, v)) left = eligibility_.units_of(v) - taken[v.v];
          continue;
        }
        const std::int64_t some = std::min(left, units - have);
        if (record) note(list, demand, v, static_cast<std::uint32_t>(share), some);
        taken[v.v] += some;
        have += some;
        left -= some;
      }
      if (demand.shares > CandidateSources::kFew) good = good && budget_.spend();
    }
  }
  sources_.rewind(mark);
  return good;
}

bool ListPlacer::place_one(const ListAt& list, const Demand& demand, bool record) {
  if (graph_.divisible(level(demand.level).type)) return place_units(list, {&demand, 1}, record);
  const std::size_t mark = sources_.mark();
  const CandidateSources::Source from = source(list.at, demand);
  const std::int64_t units = level(demand.level).count.min;
  if (demand.shares > 1 && from.size <= 0) {
    sources_.rewind(mark);
    return compete(list, {demand}, record);
  }
  const std::int64_t each = from.size > 0 ? (units - 1) / from.size + 1 : 0;  // pools of a share
  std::int64_t share = 0, have = 0, taken = 0;
  if (demand.shares <= static_cast<std::int64_t>(from.count)) {
    CandidateSources::Cursor cursor;
    while (share < demand.shares && !budget_.ended) {
      const PoolId v = next(from, demand, cursor);
      if (v == kNoPool) break;
      if (!serves(list, demand, v)) continue;
      if (record) note(list, demand, v, static_cast<std::uint32_t>(share));
      have += graph_.size(v);
      if (each > 0 ? ++taken < each : have < units) continue;
      taken = have = 0;
      ++share;
    }
  }
  sources_.rewind(mark);
  return share == demand.shares;
}

// Places demands that compete for pools of one type.
bool ListPlacer::compete(const ListAt& list, const std::vector<Demand>& demands, bool record) {
  const std::size_t mark = sources_.mark();
  std::vector<CandidateSources::Source> from;
  from.reserve(demands.size());
  std::int64_t size = 0;
  for (const Demand& d : demands) {
    // Siblings search the same pools.
    const bool same = !from.empty() && d.among == nullptr && demands[0].among == nullptr;
    from.push_back(same ? from[0] : source(list.at, d));
    const std::int64_t here = from.back().size;
    size = size == 0 || size == here ? here : -1;
  }
  const bool good = size > 0 ? SiblingMatching(*this, list, demands, from).place(size, record)
                             : SiblingPacking(*this, list, demands).place(from[0], record);
  sources_.rewind(mark);
  return good;
}

}  // namespace copse
