// SPDX-License-Identifier: Apache-2.0
#include "explain/failure_census.hpp"

#include <algorithm>

#include "base/saturating.hpp"

namespace copse {

FailureCensus::FailureCensus(const ResourceGraph& graph, const State& state,
                             const CompiledRequest& request, const Policy& policy, bool empty,
                             bool reservations, std::int64_t start, std::int64_t end)
    : graph_(graph),
      state_(state),
      request_(request),
      policy_(policy),
      empty_(empty),
      reservations_(reservations),
      storage_(graph.find_type("storage_node")),
      scores_(graph, policy),
      eligibility_{graph, state, scores_, graph.find_type("node")},
      levels_(request.levels.size()),
      some_down_(graph.names().types.size(), false) {
  eligibility_.set_query(request, empty ? StateView::empty : StateView::now, start, end);
  const PoolId root = graph.root();
  for (std::size_t n = 0; n < levels_.size(); ++n) {
    const Level& level = request.levels[n];
    levels_[n].below_has.assign(level.needs.size(), 0);
    const std::int64_t all = saturating_sum(graph.shape(root).total(level.type),
                                            graph.type(root) == level.type ? graph.size(root) : 0);
    some_down_[level.type.v] = !empty && state.usable_units(level.type) < all;
  }
}

void FailureCensus::run() {
  for (std::uint32_t n = 0; n < request_.top; ++n) {
    VertexCensus& census = levels_[n];
    if (!request_.levels[n].slot) {
      top_pools(n);
      continue;
    }
    const Amount found = slots(graph_.root(), n, {});
    census.most_has = found.has;
    census.most_fits = found.fits;
  }
}

// --- One pool

FailureCensus::Enough FailureCensus::weigh(PoolId u, std::uint32_t number, const Gate& gate) {
  const Level& level = request_.levels[number];
  VertexCensus& census = levels_[number];
  const Shape& shape = graph_.shape(u);
  if (census.shape != &shape) {
    census.shape = &shape;
    census.shape_has = true;
    for (std::size_t n = 0; n < level.needs.size(); ++n) {
      const std::int64_t has = shape.total(level.needs[n].type);
      census.below_has[n] = std::max(census.below_has[n], has);
      census.shape_has &= has >= level.needs[n].units;
    }
  }
  return {census.shape_has, !gate.open() || eligibility_.has_free(u, level.needs)};
}

void FailureCensus::count(VertexCensus& census, Rejection rejection, std::uint64_t pools) {
  Candidates& c = census.candidates;
  c.all += pools;
  switch (rejection) {
    case Rejection::none: c.fit += pools; break;
    case Rejection::too_small: c.too_small += pools; break;
    case Rejection::excluded: c.excluded += pools; break;
    case Rejection::down: c.down += pools; break;
    case Rejection::allocated: c.held += pools; break;
    case Rejection::busy: c.busy += pools; break;
    case Rejection::lacking: c.lacking += pools; break;
    case Rejection::low_score: c.passed_over += pools; break;
  }
}

// Many candidates may be closed by one pool above them; it is recorded once.
void FailureCensus::note(VertexCensus& census, const Gate& gate) {
  if (gate.rejection == Rejection::down) {
    if (census.down.empty() || census.down.back() != gate.by) census.down.push_back(gate.by);
    return;
  }
  const bool held = gate.rejection == Rejection::allocated;
  if (!held && gate.rejection != Rejection::busy) return;
  const Obstacle found{gate.by, held ? Obstacle::Scope::self : Obstacle::Scope::below};
  if (census.obstacles.empty() || census.obstacles.back() != found) {
    census.obstacles.push_back(found);
  }
}

bool FailureCensus::all_chosen(PoolId u, const ChildRun& run) const {
  const auto pools = graph_.children(u).subspan(run.first, run.count);
  const Score above = eligibility_.enclosing_term(pools[0]);
  if (policy_.scores_by_id() && run.ascending) return chosen(pools[0], above);
  return std::all_of(pools.begin(), pools.end(), [&](PoolId v) { return chosen(v, above); });
}

// Counts u as a candidate, under the first reason that applies.
void FailureCensus::settle(std::uint32_t number, PoolId u, const Gate& gate, const Enough& enough,
                           bool parts_fit, bool wanted) {
  VertexCensus& census = levels_[number];
  if (census.sample == kNoPool) census.sample = u;
  if (!gate.open()) ++census.closed;
  if (!gate.open() && !gate.above) ++census.closed_here;
  Gate why = gate;
  if (!enough.in_all) {
    why = {Rejection::too_small, u, false};
  } else if (gate.open() && !(parts_fit && enough.free)) {
    why = {!eligibility_.idle(u) ? Rejection::busy : Rejection::lacking, u, false};
  } else if (gate.open() && !wanted) {
    why = {Rejection::low_score, u, false};
  }
  count(census, why.rejection, 1);
  note(census, why);
}

// Checks u as a candidate for a level of its type; returns its units.
std::int64_t FailureCensus::candidate(PoolId u, std::uint32_t number, bool exclusive,
                                      const Gate& from) {
  const Level& level = request_.levels[number];
  const bool x = takes_exclusively(level, exclusive);
  Gate own = from.open() ? gate(u) : from;
  if (own.open() && !request_.agrees(u, level)) own = {Rejection::excluded, u, false};
  if (own.open() && x && !graph_.divisible(u) && !eligibility_.idle(u))
    own = {Rejection::busy, u, false};
  const std::int64_t units = eligibility_.units_of(u);
  if (own.open() && units <= 0) own = {Rejection::allocated, u, false};
  const Enough enough = weigh(u, number, own);
  bool fit = level.children == 0 || !graph_.leaf(u);
  for (std::uint32_t c = level.first; c < level.first + level.children; ++c) {
    const bool slot = request_.levels[c].slot;
    const Amount found =
        slot ? slots(u, c, own.for_below()) : children(u, c, exclusive || x, own.for_below());
    levels_[c].most_has = std::max(levels_[c].most_has, found.has);
    levels_[c].most_fits = std::max(levels_[c].most_fits, found.fits);
    fit &= request_.levels[c].count.effective(found.fits) > 0;
  }
  if (!own.open() || !enough.in_all || !enough.free) fit = false;
  const bool wanted = !fit || chosen(u, eligibility_.enclosing_term(u));
  settle(number, u, own, enough, fit, wanted);
  if (own.open() && !empty_ && graph_.divisible(u) && units < graph_.size(u)) {
    levels_[number].obstacles.push_back({u, Obstacle::Scope::self});
  }
  return fit && wanted ? units : 0;
}

// --- The children of a pool

// Counts the leaves of one pool: by amounts alone, if these are exact.
FailureCensus::Amount FailureCensus::leaves(PoolId u, const ChildRun& run, std::uint32_t number,
                                            const Gate& from) {
  const Level& level = request_.levels[number];
  VertexCensus& census = levels_[number];
  const bool may_differ = (request_.constrained() && request_.allowed.compares(level.type)) ||
                          level.filter != 0 || graph_.divisible(level.type);
  if (run.size > 0 && level.needs.empty() && !may_differ) {
    if (census.sample == kNoPool) census.sample = graph_.children(u)[run.first];
    const std::int64_t has = saturating_product(run.size, run.count);
    if (!from.open()) {
      census.closed += run.count;
      if (!from.above) census.closed_here += run.count;
      count(census, from.rejection, run.count);
      note(census, from);
      return {has, 0};
    }
    bool whole = empty_;
    if (!empty_ && !reservations_ && graph_.shape(u).total(level.type) == has) {
      whole = true;
      for (std::uint32_t k = 0; k < run.count && whole && some_down_[level.type.v]; ++k) {
        whole = state_.usable(PoolId{graph_.children(u)[run.first].v + k});
      }
    }
    if (whole && all_chosen(u, run)) {
      const int k = graph_.shape(u).total_index(level.type);
      const std::int64_t used =
          empty_ ? 0 : state_.row(graph_.interior(u))[static_cast<std::size_t>(k) + 1];
      const auto held = static_cast<std::uint64_t>(used / run.size);
      count(census, Rejection::none, run.count - held);
      count(census, Rejection::allocated, held);
      census.closed += held;
      census.closed_here += held;
      if (held > 0) census.obstacles.push_back({u, Obstacle::Scope::children});
      return {has, has - used};
    }
  }
  Amount found;
  const PoolId first = graph_.children(u)[run.first];
  for (std::uint32_t v = first.v; v < first.v + run.count; ++v) {
    const bool agrees = request_.agrees(PoolId{v}, level);
    if (agrees) found.has = saturating_sum(found.has, graph_.size(PoolId{v}));
    found.fits = saturating_sum(found.fits, candidate(PoolId{v}, number, false, from));
  }
  return found;
}

FailureCensus::Amount FailureCensus::children(PoolId u, std::uint32_t number, bool exclusive,
                                              const Gate& from) {
  Amount found;
  for (const ChildRun& run : graph_.shape(u).runs) {
    if (run.type != request_.levels[number].type) continue;
    if (run.leaves) {
      const Amount some = leaves(u, run, number, from);
      found = {saturating_sum(found.has, some.has), saturating_sum(found.fits, some.fits)};
      continue;
    }
    for (PoolId v : graph_.children(u).subspan(run.first, run.count)) {
      found.has = saturating_sum(found.has, graph_.size(v));
      found.fits = saturating_sum(found.fits, candidate(v, number, exclusive, from));
    }
  }
  return found;
}

// The pools of a top-level type that no other pool of the top level's types is above.
void FailureCensus::top_pools(std::uint32_t number) {
  const Level& level = request_.levels[number];
  VertexCensus& census = levels_[number];
  Gate from;
  PoolId closed = kNoPool;  // `from` applies below this pool
  graph_.preorder(graph_.root(), [&](PoolId p) {
    if (closed != kNoPool && !graph_.below(p, closed)) {
      from = {};
      closed = kNoPool;
    }
    bool wanted = false;
    for (std::uint32_t n = 0; n < request_.top; ++n) {
      wanted |= request_.levels[n].type == graph_.type(p);
    }
    if (graph_.type(p) == level.type) {
      census.most_has = saturating_sum(census.most_has, graph_.size(p));
      census.most_fits = saturating_sum(census.most_fits, candidate(p, number, false, from));
    }
    if (wanted || graph_.shape(p).total(level.type) == 0) return false;
    if (from.open()) {
      from = gate(p);
      closed = p;
    }
    return true;
  });
}

// --- Slots

// The number of shares of a part of a slot in `units` below u: of whole pools, unless the type is
// divisible.
std::int64_t FailureCensus::shares(PoolId u, std::uint32_t number, std::int64_t units) const {
  const Level& part = request_.levels[number];
  const std::int64_t share = units == 0 ? 0 : part.count.effective(units);
  if (share <= 0) return 0;
  if (graph_.divisible(part.type)) return units / share;
  std::int64_t size = 0;
  for (const ChildRun& run : graph_.shape(u).runs) {
    if (run.type != part.type) continue;
    if (run.size <= 0 || (size != 0 && size != run.size)) return units / share;  // an upper bound
    size = run.size;
  }
  if (size == 0) return 0;
  return units / size / (share / size + (share % size != 0 ? 1 : 0));
}

// The same for all pools directly below u, used or not.
std::int64_t FailureCensus::shares_of_all(PoolId u, std::uint32_t number, std::int64_t units) {
  VertexCensus& census = levels_[number];
  const Shape& shape = graph_.shape(u);
  if (census.parent_shape != &shape || census.parent_units != units) {
    census.parent_shape = &shape;
    census.parent_units = units;
    census.parent_shares = shares(u, number, units);
  }
  return census.parent_shares;
}

// The slots that could be formed at u.
FailureCensus::Amount FailureCensus::place(PoolId u, std::uint32_t number, const Gate& from) {
  const Level& slot = request_.levels[number];
  VertexCensus& census = levels_[number];
  census.places_differ |= census.place_type != kNoType && census.place_type != graph_.type(u);
  census.place_type = graph_.type(u);
  const Gate own = from.open() ? gate(u) : from;
  const Enough enough = weigh(u, number, own);
  Amount made{INT64_MAX, INT64_MAX};
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    const Amount found = children(u, c, true, own.for_below());
    Amount each{shares_of_all(u, c, found.has), shares(u, c, found.fits)};
    each.has = std::max(each.has, each.fits);  // a share of fewer units may be a smaller one
    levels_[c].most_has = std::max(levels_[c].most_has, found.has);
    levels_[c].most_fits = std::max(levels_[c].most_fits, found.fits);
    levels_[c].all_has = saturating_sum(levels_[c].all_has, found.has);
    levels_[c].all_fits = saturating_sum(levels_[c].all_fits, found.fits);
    levels_[c].slots_now = saturating_sum(levels_[c].slots_now, each.fits);
    levels_[c].have_now = saturating_sum(levels_[c].have_now, found.has);
    levels_[c].fit_now = saturating_sum(levels_[c].fit_now, found.fits);
    made = {std::min(made.has, each.has), std::min(made.fits, each.fits)};
  }
  settle(number, u, own, enough, made.fits > 0, true);
  if (!own.open() || !enough.in_all || !enough.free) made.fits = 0;
  return made;
}

// Counts slots at u, or else at the highest pools below it that have what the slot lists.
FailureCensus::Amount FailureCensus::slots(PoolId u, std::uint32_t number, const Gate& from) {
  const Level& slot = request_.levels[number];
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    levels_[c].slots_now = levels_[c].have_now = levels_[c].fit_now = 0;
  }
  Amount found;
  std::uint64_t places = 0;
  Gate way = from;
  std::uint32_t closed_to = from.open() ? u.v : graph_.end(u).v;
  for (std::uint32_t v = u.v; v < graph_.end(u).v;) {
    const PoolId p{v};
    if (v >= closed_to) way = {};
    if (eligibility_.resolves(p, slot)) {
      const Amount here = place(p, number, way);
      found = {saturating_sum(found.has, here.has), saturating_sum(found.fits, here.fits)};
      ++places;
      v = graph_.end(p).v;
      continue;
    }
    if (!eligibility_.may_hold(p, slot)) {
      v = graph_.end(p).v;
      continue;
    }
    if (way.open()) {
      way = gate(p);
      closed_to = graph_.end(p).v;
    }
    ++v;
  }
  levels_[number].places = std::max(levels_[number].places, places);
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    VertexCensus& part = levels_[c];
    part.slots = std::max(part.slots, part.slots_now);
    part.places_have = std::max(part.places_have, part.have_now);
    part.places_fit = std::max(part.places_fit, part.fit_now);
  }
  return found;
}

}  // namespace copse
