// SPDX-License-Identifier: Apache-2.0
#include "state/state.hpp"

#include <algorithm>
#include <cassert>

#include <xxhash.h>

namespace copse {

State::State(const ResourceGraph& graph, std::int64_t now)
    : graph_(graph),
      now_(now),
      exclusive_spans_(graph.pool_count(), now),
      interiors_(graph.interior_count()),
      use_((interiors_ + PoolsInUse::kPools - 1) / PoolsInUse::kPools),
      statuses_(graph.pool_count()),
      lists_(*this, graph) {
  if (graph.any_divisible()) divided_.resize(graph.pool_count());
  for (std::uint32_t i = 0; i < graph.interior_count(); ++i) add_row(i);
  for (std::size_t c = 0; c < use_.size(); ++c) use_.own(c).cells.shrink_to_fit();
}

State::State(const ResourceGraph& graph, const State& other)
    : graph_(graph),
      now_(other.now_),
      exclusive_spans_(other.exclusive_spans_),
      divided_(other.divided_),
      interiors_(other.interiors_),
      use_(other.use_),
      statuses_(other.statuses_),
      lists_(*this, graph) {}

// Replaces the row by a row of zeros.
void State::add_row(std::uint32_t i) {
  PoolsInUse& use = own_use_of(i);
  use.pools[i % PoolsInUse::kPools].row = static_cast<std::uint32_t>(use.cells.size());
  use.cells.resize(use.cells.size() + graph_.shape_of_interior(i).totals.size() + 1, 0);
}

bool State::available_now(PoolId p) const {
  if (!usable(p) || graph_.removed(p) || exclusive_spans_.active(p)) return false;
  if (!graph_.leaf(p)) return blocked(graph_.interior(p)) == 0;
  const PoolId up = graph_.parent(p);
  return up == kNoPool || available_now(up);
}

// --- Status

void State::set_status(PoolId p, Status status) {
  if (!statuses_.set(p, status)) return;
  if (graph_.leaf(p)) {
    const PoolId up = graph_.parent(p);
    if (up != kNoPool) lists_.refresh(graph_.interior(up));
    return;
  }
  lists_.refresh(graph_.interior(p));
  block_below(p, statuses_.usable(p) ? -1 : 1);
}

// --- Grants

void State::block_below(PoolId p, int sign) {
  graph_.for_each_interior_below(p, [&](std::uint32_t i) {
    own_use_of(i).pools[i % PoolsInUse::kPools].blocked += static_cast<std::uint32_t>(sign);
    lists_.refresh(i);
  });
}

// While the entries of a selection are applied in preorder, the interior ones on the current path
// are on a stack, each with the units taken below it so far (by the types of its shape).
struct State::Open {
  PoolId pool;
  bool exclusive;     // exclusive to this grant
  bool covered;       // below an exclusive pool of this grant
  std::size_t first;  // its amounts: folded_[first …], dimension 0 is the job itself
};

struct State::Fold {
  State& state;
  std::int64_t start, end;
  std::uint32_t grant;
  int sign;
  bool active;    // at the present moment
  bool planning;  // false: planners and spans have the grant already, and it becomes active now
  std::vector<Open> open{};
  std::span<const PoolAmount> divided{};  // the divisible pools that follow

  void run(const Selection& selection) {
    state.folded_.clear();
    divided = selection.amounts;
    for (std::span<const SelectedPools> left = selection.taken; !left.empty();) {
      while (!open.empty() && !state.graph_.below(left[0].first, open.back().pool)) close();
      const std::size_t count = alike(left);
      if (count > 1) {
        take_alike(left.first(count));
      } else {
        enter(left[0]);
      }
      left = left.subspan(count);
    }
    while (!open.empty()) close();
  }

  void take(const Open& into, TypeId type, std::int64_t units) {
    const int k = state.graph_.shape(into.pool).total_index(type);
    state.folded_[into.first + 1 + static_cast<std::size_t>(k)] += units;
  }

  void close() {
    const Open top = open.back();
    open.pop_back();
    const ResourceGraph& g = state.graph_;
    const Shape& shape = g.shape(top.pool);
    const std::span<const std::int64_t> amounts(state.folded_.data() + top.first,
                                                shape.totals.size() + 1);
    if (!open.empty()) {
      for (std::size_t k = 0; k < shape.totals.size(); ++k) {
        if (amounts[k + 1] != 0) take(open.back(), shape.totals[k].type, amounts[k + 1]);
      }
      if (top.exclusive) take(open.back(), g.type(top.pool), g.size(top.pool));
    }
    // The span of an exclusive pool covers its time; no planner is needed. The root is planned as
    // well, because its steps are the times at which a reservation may start.
    const bool planned = !top.covered && (!top.exclusive || top.pool == g.root());
    const bool held = top.exclusive && !top.covered;  // refreshed below, after the span was added
    state.apply_interior(top.pool, amounts, planned, held, *this);
    if (held) {
      state.apply_exclusive({top.pool, 1}, *this);
      if (active) {
        state.lists_.refresh(g.interior(top.pool));
        state.block_below(top.pool, sign);
      }
    }
    state.folded_.resize(top.first);
  }

  void enter(const SelectedPools& t) {
    const ResourceGraph& g = state.graph_;
    const bool covered = is_covered();
    if (g.leaf(t.first)) {
      if (!t.exclusive && !t.whole) return;
      if (g.divisible(t.first)) return divide(t.first, covered);
      std::int64_t units = 0;
      for (std::uint32_t v = t.first.v; v < t.first.v + t.count; ++v) units += g.size(PoolId{v});
      if (!open.empty()) take(open.back(), g.type(t.first), units);
      if (!covered) state.apply_exclusive({t.first, t.count}, *this);
      return;
    }
    open.push_back({t.first, t.exclusive || t.whole, covered, state.folded_.size()});
    state.folded_.resize(state.folded_.size() + g.shape(t.first).totals.size() + 1, 0);
    state.folded_[open.back().first] = 1;
    if (!t.whole) return;
    g.for_each_interior_below(t.first, [&](std::uint32_t i) { whole_below(i); });
    const Shape& shape = g.shape(t.first);
    for (std::size_t k = 0; k < shape.totals.size(); ++k) {
      state.folded_[open.back().first + 1 + k] = shape.totals[k].total;
    }
  }

  // Takes the units that the selection has of a divisible pool.
  void divide(PoolId p, bool covered) {
    assert(!divided.empty() && divided.front().pool == p);
    const std::int64_t units = divided.front().units;
    divided = divided.subspan(1);
    if (!open.empty()) take(open.back(), state.graph_.type(p), units);
    if (!covered && planning) state.divided_.apply(p, units, start, end, sign);
  }

  // How many entries, from the first on, are equal exclusive siblings that have only leaves and no
  // entries below. 1: the first is not such an entry. Attached pools may be anywhere in the
  // columns.
  [[nodiscard]] std::size_t alike(std::span<const SelectedPools> entries) const {
    const ResourceGraph& g = state.graph_;
    const SelectedPools& first = entries[0];
    if (!(first.whole || first.exclusive) || g.changed() || g.leaf(first.first)) return 1;
    const std::uint32_t i = g.interior(first.first);
    if (is_covered() || g.interior_at(g.end(first.first)) != i + 1) return 1;
    std::size_t n = 1;
    for (; n < entries.size(); ++n) {
      const SelectedPools& t = entries[n];
      if (t.whole != first.whole || t.exclusive != first.exclusive || g.leaf(t.first)) break;
      if (g.parent(t.first) != g.parent(first.first) || g.type(t.first) != g.type(first.first) ||
          g.shape_id(g.interior(t.first)) != g.shape_id(i)) {
        break;
      }
    }
    const bool more_below = n < entries.size() && g.below(entries[n].first, entries[n - 1].first);
    return more_below && n > 1 ? n - 1 : n;
  }

  // Does what enter() and close() do, for each of them.
  void take_alike(std::span<const SelectedPools> entries) {
    const ResourceGraph& g = state.graph_;
    auto& interiors = state.interiors_alike_;
    auto& ranges = state.ranges_alike_;
    interiors.clear();
    ranges.clear();
    std::int64_t units = 0;
    for (const SelectedPools& t : entries) {
      interiors.push_back(g.interior(t.first));
      ranges.push_back({t.first, 1});
      units += g.size(t.first);
    }
    std::span<const TypeTotal> below;
    if (entries[0].whole) below = g.shape_of_interior(interiors[0]).totals;
    if (!open.empty()) {
      const auto count = static_cast<std::int64_t>(entries.size());
      for (const TypeTotal& t : below) take(open.back(), t.type, count * t.total);
      take(open.back(), g.type(entries[0].first), units);
    }
    state.apply_exclusive(ranges, *this);
    if (!active) return;
    for (const std::uint32_t i : interiors) add_to_row(i, below);
    state.lists_.refresh(interiors);
  }

  [[nodiscard]] bool is_covered() const {
    return !open.empty() && (open.back().exclusive || open.back().covered);
  }

  void whole_below(std::uint32_t i) {
    if (!active) return;
    add_to_row(i, state.graph_.shape_of_interior(i).totals);
    state.lists_.refresh(i);
  }

  // Adds one job, and all units below.
  void add_to_row(std::uint32_t i, std::span<const TypeTotal> below) {
    std::int64_t* row = state.own_cells(i);
    row[0] += sign;
    for (std::size_t k = 0; k < below.size(); ++k) row[k + 1] += sign * below[k].total;
  }
};

void State::apply_exclusive(std::span<const ExclusiveSpans::Range> ranges, const Fold& fold) {
  const ExclusiveSpan span{fold.start, fold.end, fold.grant};
  if (!fold.planning) {
    exclusive_spans_.begin(ranges);
  } else if (fold.sign > 0) {
    exclusive_spans_.add(ranges, span);
  } else {
    exclusive_spans_.remove(ranges, span);
  }
}

void State::plan(std::uint32_t i, std::span<const std::int64_t> amounts, const Fold& fold) {
  PoolsInUse& use = own_use_of(i);
  std::uint32_t& later = use.pools[i % PoolsInUse::kPools].later_spans;
  if (!fold.planning) {
    --later;
    return;
  }
  Shared<Planner>& planner = use.planner[i % PoolsInUse::kPools];
  if (!planner) planner = Shared<Planner>::make(static_cast<std::uint32_t>(amounts.size()));
  Planner& times = planner.own();
  if (fold.sign > 0) {
    times.add(fold.start, fold.end, amounts);
  } else {
    times.remove(fold.start, fold.end, amounts);
    if (times.empty()) planner.reset();
  }
  if (fold.start > now_) later += static_cast<std::uint32_t>(fold.sign);
}

void State::apply_interior(PoolId p, std::span<const std::int64_t> amounts, bool planned, bool held,
                           const Fold& fold) {
  const std::uint32_t i = graph_.interior(p);
  if (fold.active) {
    std::int64_t* row = own_cells(i);
    for (std::size_t k = 0; k < amounts.size(); ++k) row[k] += fold.sign * amounts[k];
  }
  if (planned) plan(i, amounts, fold);
  if (fold.active && !held) lists_.refresh(i);
}

void State::apply(const Selection& selection, std::int64_t start, std::int64_t end,
                  std::uint32_t grant, int sign) {
  assert(start < end);
  Fold{*this, start, end, grant, sign, start <= now_ && now_ < end, true}.run(selection);
}

void State::begin(const Selection& selection, std::int64_t start, std::int64_t end,
                  std::uint32_t grant) {
  assert(start <= now_ && now_ < end);
  Fold{*this, start, end, grant, 1, true, false}.run(selection);
}

// --- Growing and shrinking

void State::refresh_path(PoolId from) {
  for (PoolId up = from; up != kNoPool; up = graph_.parent(up)) lists_.refresh(graph_.interior(up));
}

void State::grow(const GraphChange& change) {
  exclusive_spans_.resize(graph_.pool_count());
  if (graph_.any_divisible()) divided_.resize(graph_.pool_count());
  statuses_.resize(graph_.pool_count());
  lists_.graph_grew();
  for (const GraphChange::Widened& w : change.widened) {
    assert(planner(w.interior) == nullptr);
    add_row(w.interior);
  }
  const std::uint32_t above = graph_.interior(change.parent);
  const std::uint32_t blocking = blocked(above) + (usable(change.parent) ? 0 : 1);
  const std::uint32_t first = interiors_;
  interiors_ = graph_.interior_count();
  use_.resize((interiors_ + PoolsInUse::kPools - 1) / PoolsInUse::kPools);
  for (std::uint32_t i = first; i < interiors_; ++i) {
    add_row(i);
    own_use_of(i).pools[i % PoolsInUse::kPools].blocked = blocking;
  }
  refresh_path(change.parent);
}

void State::shrink(const GraphChange& change) {
  statuses_.erase_removed(graph_);
  for (PoolId p : change.intervals) {
    for (std::uint32_t i = graph_.interior_at(p); i < graph_.interior_at(graph_.end(p)); ++i) {
      lists_.refresh(i);
    }
  }
  refresh_path(change.parent);
}

// --- The state as a whole

std::uint64_t State::fingerprint(std::span<const std::uint64_t> names) const {
  XXH64_hash_t h = 0;
  auto mix = [&](std::uint64_t word) { h = XXH3_64bits_withSeed(&word, sizeof word, h); };
  for (std::uint32_t v = 0; v < graph_.pool_count(); ++v) {
    if (!exclusive_spans_.marked(PoolId{v})) continue;
    mix(v);
    for (const ExclusiveSpan& span : exclusive_spans_.all(PoolId{v})) {
      mix(static_cast<std::uint64_t>(span.start));
      mix(static_cast<std::uint64_t>(span.end));
      mix(span.grant < names.size() ? names[span.grant] : span.grant);
    }
  }
  auto mix_all = [&](std::span<const std::int64_t> values) {
    h = XXH3_64bits_withSeed(values.data(), values.size_bytes(), h);
  };
  for (std::uint32_t i = 0; i < interiors_; ++i) {
    if (graph_.removed(graph_.interior_pool(i))) continue;
    mix_all(row(i));
    const PoolsInUse::Pool& pool = use_of(i).pools[i % PoolsInUse::kPools];
    mix((std::uint64_t{pool.blocked} << 32) | pool.later_spans);
  }
  for (std::uint32_t i = 0; i < interiors_; ++i) {
    if (planner(i) == nullptr) continue;
    mix(i);
    planner(i)->for_each_step([&](std::int64_t time, Planner::Amounts amounts) {
      mix(static_cast<std::uint64_t>(time));
      mix_all(amounts);
    });
  }
  divided_.for_each([&](PoolId p, const Planner& times) {
    mix((std::uint64_t{1} << 40) | p.v);
    times.for_each_step([&](std::int64_t time, Planner::Amounts amounts) {
      mix(static_cast<std::uint64_t>(time));
      mix_all(amounts);
    });
  });
  for (const auto& [pool, status] : statuses())
    mix((std::uint64_t{pool} << 8) | static_cast<std::uint8_t>(status));
  return h;
}

std::uint64_t State::bytes() const {
  std::uint64_t n = exclusive_spans_.bytes() + use_.bytes() + statuses_.bytes() + lists_.bytes() +
                    divided_.bytes();
  for (std::size_t c = 0; c < use_.size(); ++c) n += use_[c].cells.capacity() * 8;
  return n;
}

}  // namespace copse
