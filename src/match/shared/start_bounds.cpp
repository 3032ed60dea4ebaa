// SPDX-License-Identifier: Apache-2.0
#include "match/shared/start_bounds.hpp"

#include <algorithm>

#include "state/timelines/popcount.hpp"

namespace copse {

namespace {
constexpr std::int64_t kNever = INT64_MAX;
constexpr std::size_t kGatesMax = 4;
}  // namespace

StartBounds::StartBounds(const ResourceGraph& graph, const State& state, const StartBounds& other)
    : StartBounds(graph, state) {
  slot_hosts_ = other.slot_hosts_;
  for (const auto& [type, of_type] : other.pools_) {
    Pools& made = pools_[type];
    made.pools = of_type.pools;
    made.place = of_type.place;
    made.ones = of_type.ones;
    made.shapes = of_type.shapes;
    if (of_type.idle != nullptr) {
      made.idle = std::make_unique<PoolTimeline>(graph_, state_, *of_type.idle);
    }
    for (const auto& line : of_type.by_need) {
      made.by_need.push_back(std::make_unique<PoolTimeline>(graph_, state_, *line));
    }
  }
}

COPSE_COUNTS_BITS
std::uint32_t StartBounds::OpenPools::count() const {
  std::uint32_t count = 0;
  for (const PoolTimeline::Word word : busy) {
    count += static_cast<std::uint32_t>(std::popcount(~word));
  }
  return count;
}

StartBounds::Pools& StartBounds::pools_of(TypeId type) {
  const auto [it, made] = pools_.try_emplace(type.v);
  Pools& of_type = it->second;
  if (!made) return of_type;
  bool interior = true;
  std::vector<PoolId> pools;
  graph_.preorder(graph_.root(), [&](PoolId p) {
    if (graph_.type(p) == type) {
      interior &= !graph_.leaf(p);
      of_type.ones &= graph_.size(p) == 1;
      if (interior) of_type.shapes.insert(graph_.shape_id(graph_.interior(p)));
      pools.push_back(p);
    }
    return graph_.shape(p).total_index(type) >= 0;  // even if all are of size 0
  });
  if (!interior) pools.clear();  // leaves are many; the amounts of the pools above are as good
  std::vector<std::uint32_t> place(graph_.interior_count(), kNowhere);
  for (std::uint32_t i = 0; i < pools.size(); ++i) place[graph_.interior(pools[i])] = i;
  of_type.pools = std::move(pools);
  of_type.place = std::move(place);
  return of_type;
}

// Adds the gates of a level below this many pools. The depth is bounded by that of the request.
void StartBounds::add_gates(std::uint32_t number, std::int64_t parents, bool idle, bool windows) {
  const Level& level = request_->levels[number];
  if (level.alternative || gates_.size() >= kGatesMax) return;
  const std::int64_t each = std::max<std::int64_t>(level.count.min, 0);
  std::int64_t units = 0;
  if (__builtin_mul_overflow(parents, each, &units)) return;
  const bool alone = level.slot || takes_exclusively(level, idle);
  if (level.slot && number < request_->top && units > 0) add_slot_gate(number, windows);
  if (!level.slot && units > 0) {
    Pools& of_type = pools_of(level.type);
    if (!of_type.pools.empty()) {
      add_gate(number, units, alone || request_->takes_whole(level.type), of_type, windows);
    }
  }
  // If pools have several units, fewer pools are enough.
  const std::int64_t size = level.slot ? 1 : std::max<std::int64_t>(graph_.largest(level.type), 1);
  const std::int64_t pools = parents * (each / size + (each % size != 0 ? 1 : 0));
  for (std::uint32_t c = level.first; c < level.first + level.children; ++c) {
    add_gates(c, pools, idle || alone, windows);
  }
}

void StartBounds::add_gate(std::uint32_t number, std::int64_t units, bool idle, Pools& of_type,
                           bool windows) {
  const Level& level = request_->levels[number];
  gates_.push_back(
      {.level = number, .units = units, .idle = idle, .needs = &level.needs, .pools = &of_type});
  Gate& gate = gates_.back();
  for (const Need& need : level.needs) gate.leaf_needs.push_back({need.type, need.units});
  if (idle && of_type.ones) {
    set_mask(gate, idle_line(of_type));
  } else if (PoolTimeline* line = windows ? need_line(of_type, level.needs) : nullptr;
             line != nullptr && !idle) {
    set_mask(gate, *line);
  }
}

// The type of the pools where a slot can be formed, if it is only one.
std::optional<TypeId> StartBounds::slot_host(const Level& slot) {
  Types types;
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    types.push_back(request_->levels[c].type.v);
  }
  std::ranges::sort(types);
  const auto [known, made] = slot_hosts_.try_emplace(types);
  if (!made) return known->second;
  std::set<std::uint16_t> hosts;
  graph_.preorder(graph_.root(), [&](PoolId p) {
    if (graph_.leaf(p)) return false;
    const Shape& shape = graph_.shape(p);
    const bool host = std::ranges::all_of(
        types, [&](std::uint16_t type) { return shape.has_child(TypeId{type}); });
    if (host) hosts.insert(graph_.type(p).v);
    return true;
  });
  if (hosts.size() == 1) known->second = TypeId{*hosts.begin()};
  return known->second;
}

// A pool has no more slots than its units on the empty machine allow.
void StartBounds::add_slot_gate(std::uint32_t number, bool windows) {
  const Level& slot = request_->levels[number];
  if (slot.children == 0 || slot.displaced || slot.needs.empty()) return;
  const auto host = slot_host(slot);
  if (!host) return;
  Pools& of_type = pools_of(*host);
  if (of_type.pools.empty()) return;
  std::int64_t most = 1;  // slots of a pool
  for (const std::uint32_t shape : of_type.shapes) {
    std::int64_t slots = INT64_MAX;
    for (const Need& need : slot.needs) {
      if (need.units > 0)
        slots = std::min(slots, graph_.shapes()[shape].total(need.type) / need.units);
    }
    most = std::max(most, slots);
  }
  const std::int64_t all = std::max<std::int64_t>(slot.count.min, 1);
  add_gate(number, of_type.ones ? (all - 1) / most + 1 : 1, false, of_type, windows);
}

// Whether p would fit on an empty machine; this does not change during a search.
bool StartBounds::ever(const Gate& gate, PoolId p) const {
  if (graph_.size(p) <= 0 || !state_.usable(p)) return false;
  if (request_->constrained() && !request_->allowed[p.v]) return false;
  if (!request_->agrees(p, request_->levels[gate.level])) return false;
  const Shape& shape = graph_.shape(p);
  return std::all_of(gate.needs->begin(), gate.needs->end(),
                     [&](const Need& need) { return need.units <= shape.total(need.type); });
}

PoolTimeline& StartBounds::idle_line(Pools& of_type) const {
  if (of_type.idle == nullptr) {
    of_type.idle = std::make_unique<PoolTimeline>(graph_, state_, of_type.pools, of_type.place);
  }
  return *of_type.idle;
}

// The timeline for these needs, built when they are requested twice in a row; or that for the
// largest smaller needs: a pool with too little for those does not fit. nullptr: there is none.
PoolTimeline* StartBounds::need_line(Pools& of_type, const std::vector<Need>& needs) const {
  std::vector<PoolTimeline::Need> wanted;
  for (const Need& need : needs) {
    if (need.units > 0) wanted.push_back({need.type, need.units});
  }
  if (wanted.empty()) return nullptr;
  PoolTimeline* most = nullptr;
  for (const auto& line : of_type.by_need) {
    if (std::ranges::equal(line->needs(), wanted)) return line.get();
    const bool less = std::ranges::all_of(line->needs(), [&](const PoolTimeline::Need& need) {
      return std::ranges::any_of(wanted, [&](const PoolTimeline::Need& w) {
        return w.type == need.type && w.units >= need.units;
      });
    });
    const auto units = [](const PoolTimeline& of) { return of.needs().front().units; };
    if (less && (most == nullptr || units(*line) > units(*most))) most = line.get();
  }
  if (of_type.by_need.size() == kNeedsMax) return most;
  const bool again = of_type.last_need == wanted;
  of_type.last_need = wanted;
  if (!again) return most;
  of_type.by_need.push_back(std::make_unique<PoolTimeline>(graph_, state_, of_type.pools,
                                                           of_type.place, std::move(wanted)));
  return of_type.by_need.back().get();
}

void StartBounds::set_mask(Gate& gate, PoolTimeline& line) {
  Pools& of_type = *gate.pools;
  if (!line.usable()) return;
  gate.line = &line;
  gate.masked = true;
  const bool filtered = request_->levels[gate.level].filter != 0;
  if (of_type.shapes.size() == 1 && state_.all_usable() && !request_->constrained() && !filtered &&
      ever(gate, of_type.pools[0])) {
    return;
  }
  gate.excluded.assign(line.words(), 0);
  for (std::size_t i = 0; i < of_type.pools.size(); ++i) {
    if (!ever(gate, of_type.pools[i])) gate.excluded[i / 64] |= PoolTimeline::Word{1} << (i % 64);
  }
}

bool StartBounds::begin(const CompiledRequest& request, std::int64_t duration_s,
                        std::int64_t horizon, bool windows) {
  request_ = &request;
  duration_s_ = duration_s;
  horizon_ = horizon;
  gates_.clear();
  if (request.alternatives || !request.variants.empty() || graph_.has_further_edges()) {
    return false;
  }
  // A vertex with `exclusive: false` where everything is exclusive is always refused, with a
  // remark.
  if (std::any_of(request.levels.begin(), request.levels.end(),
                  [](const Level& l) { return l.exclusive == Exclusivity::no; })) {
    return false;
  }
  for (std::uint32_t n = 0; n < request.top; ++n) add_gates(n, 1, false, windows);
  if (!windows) std::erase_if(gates_, [](const Gate& gate) { return !gate.masked; });
  return !gates_.empty();
}

bool StartBounds::in_a_row(std::span<const PoolId> siblings) const {
  const auto known = pools_.find(graph_.type(siblings.front()).v);
  if (known == pools_.end() || known->second.pools.empty()) return false;
  const auto& place = known->second.place;
  const std::uint32_t first = place[graph_.interior(siblings.front())];
  const std::uint32_t last = place[graph_.interior(siblings.back())];
  return first != kNowhere && last != kNowhere && last - first + 1 == siblings.size();
}

std::optional<std::int64_t> StartBounds::next(std::int64_t t) {
  for (std::size_t passed = 0; passed < gates_.size();) {
    Gate& gate = gates_[passed];
    const auto later = next(gate, t);
    if (!later) return {};
    passed = *later == t || gates_.size() == 1 ? passed + 1 : 0;
    t = *later;
  }
  time_ = t;
  return t;
}

std::optional<std::int64_t> StartBounds::next(Gate& gate, std::int64_t t) {
  if (gate.masked && !gate.idle) return next_by_need(gate, t);
  if (gate.masked) {
    return gate.line->first_fit(gate.units, gate.excluded, t, duration_s_, gate.busy);
  }
  const auto& pools = gate.pools->pools;
  if (gate.windows.empty()) gate.windows.resize(pools.size(), {INT64_MIN, INT64_MIN});
  for (;;) {
    std::int64_t open = 0;
    later_.clear();
    bool equal = true;  // whether every pool that opens later has one unit
    std::int64_t limit = kNever;
    for (std::size_t i = 0; i < pools.size() && open < gate.units; ++i) {
      Window& w = gate.windows[i];
      if (w.until < t) w = window(gate, pools[i], t, limit);
      const std::int64_t size = graph_.size(pools[i]);
      if (w.from <= t) {
        open += size;
      } else if (w.from != kNever) {
        later_.push_back(w.from);
        equal &= size == 1;
        if (gate.units == 1) limit = std::min(limit, w.from);
      }
    }
    if (open >= gate.units) return t;
    // With pools of several units fewer may be enough: then each time at which one opens is
    // checked.
    const std::size_t lacking = equal ? static_cast<std::size_t>(gate.units - open) : 1;
    if (later_.size() < lacking) return {};
    const auto nth = later_.begin() + static_cast<std::ptrdiff_t>(lacking - 1);
    std::nth_element(later_.begin(), nth, later_.end());
    t = *nth;
  }
}

// The timeline tells for which pools the leaves should be checked. If too few of these fit, no
// start is possible until one of them opens or the set changes.
std::optional<std::int64_t> StartBounds::next_by_need(Gate& gate, std::int64_t t) {
  const auto& pools = gate.pools->pools;
  const std::int64_t fewest = gate.pools->ones ? gate.units : 1;
  for (;;) {
    const auto fit = gate.line->first_fit(fewest, gate.excluded, t, duration_s_, gate.busy);
    if (!fit || *fit >= horizon_) return {};
    t = *fit;
    std::int64_t open = 0, later = kNever;
    for (std::size_t w = 0; w < gate.busy.size(); ++w) {
      for (PoolTimeline::Word word = ~gate.busy[w]; word != 0; word &= word - 1) {
        const auto i =
            static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(std::countr_zero(word));
        const auto known = gate.later.find(i);
        Window found{INT64_MIN, INT64_MIN};
        if (known != gate.later.end()) found = known->second;
        if (found.until < t) found = window(gate, pools[i], t, gate.units == 1 ? later : kNever);
        if (found.from <= t) {
          open += graph_.size(pools[i]);
          if (open >= gate.units) return t;
          continue;
        }
        gate.later.insert_or_assign(i, found);
        later = std::min(later, found.from);
      }
    }
    later = std::min(later, gate.line->next_step(t).value_or(kNever));
    if (later == kNever) return {};
    t = later;
  }
}

// Moves the window to where no span of p overlaps. False if it had to be moved.
bool StartBounds::wait_for_exclusive_spans(PoolId p, Window& w) const {
  const std::span<const ExclusiveSpan> exclusive_spans = state_.exclusive_spans().all(p);
  if (exclusive_spans.empty()) return true;
  const std::int64_t t = w.from;
  auto span = std::partition_point(exclusive_spans.begin(), exclusive_spans.end(),
                                   [&](const ExclusiveSpan& h) { return h.end <= t; });
  for (; span != exclusive_spans.end() && span->start - w.from < duration_s_; ++span)
    w.from = span->end;
  if (span != exclusive_spans.end()) w.until = std::min(w.until, span->start - duration_s_);
  return w.from == t;
}

// The same for shared use of p: the jobs there, or the units that they take.
bool StartBounds::wait_for_planner(const Gate& gate, PoolId p, Window& w) {
  const std::uint32_t i = graph_.interior(p);
  const Planner* planner = state_.planner(i);
  if (planner == nullptr) return true;
  const Shape& shape = graph_.shape_of_interior(i);
  allowed_.assign(shape.totals.size() + 1, INT64_MAX);
  if (gate.idle) allowed_[0] = 0;
  bool limits = gate.idle;
  for (const Need& need : *gate.needs) {
    const int k = shape.total_index(need.type);
    if (k < 0 || need.units <= 0) continue;
    const auto at = static_cast<std::size_t>(k);
    allowed_[at + 1] = shape.totals[at].total - need.units;
    limits = true;
  }
  if (!limits) return true;
  const std::int64_t end = w.from + std::min(duration_s_, horizon_ - w.from);
  if (!planner->within(w.from, end, allowed_)) {
    w.from = planner->earliest_fit(w.from, duration_s_, horizon_, allowed_).value_or(kNever);
    return false;
  }
  w.until = std::min(w.until, w.from);  // recomputed for every other start
  return true;
}

// The first window from t on; if it begins after `limit`, any bound after that.
StartBounds::Window StartBounds::window(const Gate& gate, PoolId p, std::int64_t t,
                                        std::int64_t limit) {
  static constexpr Window kNone{kNever, kNever};
  if (!ever(gate, p)) return kNone;
  if (state_.planner(graph_.interior(p)) != nullptr && lines_.covers(p)) {
    const auto fit = lines_.first_fit(p, gate.leaf_needs, gate.idle, t, duration_s_, limit);
    if (fit) return {fit->from, fit->until};
    return limit == kNever ? kNone : Window{limit + 1, limit};
  }
  Window w{t, kNever};
  for (bool moved = true; moved && w.from < horizon_;) {
    moved = false;
    w.until = kNever;
    for (PoolId up = p; up != kNoPool && !moved; up = graph_.parent(up)) {
      moved = !wait_for_exclusive_spans(up, w);
    }
    moved = moved || !wait_for_planner(gate, p, w);
  }
  return w.from < horizon_ ? w : kNone;
}

}  // namespace copse
