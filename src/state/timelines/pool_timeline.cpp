// SPDX-License-Identifier: Apache-2.0
#include "state/timelines/pool_timeline.hpp"

#include <algorithm>
#include <unordered_map>

namespace copse {

namespace {
constexpr std::size_t kFoundMax = 200'000;  // spans that are brought together at once
}  // namespace

PoolTimeline::PoolTimeline(const ResourceGraph& graph, const State& state,
                           std::span<const PoolId> pools, std::span<const std::uint32_t> place,
                           std::vector<Need> needs, Limits limits)
    : graph_(graph),
      state_(state),
      pools_(std::vector<PoolId>(pools.begin(), pools.end())),
      place_(std::vector<std::uint32_t>(place.begin(), place.end())),
      needs_(std::move(needs)),
      limits_(limits),
      busy_(pools.size()),
      held_(busy_.words(), 0),
      one_(busy_.words(), 0) {
  std::vector<BusyPool> found;
  for (std::uint32_t bit = 0; bit < pools_.size() && usable_; ++bit) {
    find_busy(bit, found);
    if (found.size() >= kFoundMax) add_all(found);
  }
  add_all(found);
}

// When the pool is closed, in any order.
void PoolTimeline::find_busy(std::uint32_t bit, std::vector<BusyPool>& found) const {
  const PoolId p = pools_[bit];
  for (PoolId up = p; up != kNoPool; up = graph_.parent(up)) {
    for (const ExclusiveSpan& span : state_.exclusive_spans().all(up)) {
      found.push_back({span.start, span.end, bit});
    }
  }
  const Planner* planner = state_.planner(graph_.interior(p));
  if (planner == nullptr) return;
  std::optional<std::int64_t> since;
  planner->for_each_step([&](std::int64_t time, Planner::Amounts amounts) {
    const bool now = closed(p, amounts);
    if (!since && now) since = time;
    if (since && !now) found.push_back({*std::exchange(since, std::nullopt), time, bit});
  });
}

// Adds what was found, and empties it. Pools of one grant are busy together: one change for all. They are
// brought together by a hash, as there are far more spans than times.
void PoolTimeline::add_all(std::vector<BusyPool>& found) {
  struct Together {
    std::int64_t start = 0, end = 0;
    std::vector<std::uint32_t> bits{};
  };
  std::vector<Together> all;
  std::unordered_map<std::int64_t, std::unordered_map<std::int64_t, std::size_t>>
      numbers;  // in all
  for (const BusyPool& one : found) {
    const auto [same, made] = numbers[one.start].try_emplace(one.end, all.size());
    if (made) all.push_back({.start = one.start, .end = one.end});
    all[same->second].bits.push_back(one.bit);
  }
  found.clear();
  std::ranges::sort(all, {}, &Together::start);
  for (const Together& each : all) {
    if (!usable_) return;
    std::ranges::fill(held_, 0);
    for (const std::uint32_t bit : each.bits) held_[bit / 64] |= Word{1} << (bit % 64);
    busy_.change(held_, true, each.start, each.end);
    check_size();
  }
}

void PoolTimeline::add(std::vector<Word>& mask, PoolId p) const {
  const std::uint32_t bit = place_[graph_.interior(p)];
  mask[bit / 64] |= Word{1} << (bit % 64);
}

// By the amounts of its planner at a time: jobs, then units by type of its shape.
bool PoolTimeline::closed(PoolId p, std::span<const std::int64_t> amounts) const {
  if (needs_.empty()) return amounts[0] > 0;
  const Shape& shape = graph_.shape(p);
  return std::ranges::any_of(needs_, [&](const Need& need) {
    const int k = shape.total_index(need.type);
    if (k < 0) return false;
    const auto at = static_cast<std::size_t>(k);
    const std::int64_t allowed = shape.totals[at].total - need.units;
    return allowed >= 0 && amounts[at + 1] > allowed;
  });
}

// Updates a pool that jobs share over [start, end), so that none has it exclusively.
void PoolTimeline::follow(PoolId p, std::int64_t start, std::int64_t end) {
  std::fill(one_.begin(), one_.end(), 0);
  add(one_, p);
  std::int64_t from = start;
  bool now = false;
  const auto until = [&](std::int64_t time, bool next) {
    if (now != next && time > from) {
      busy_.change(one_, now, from, time);
      from = time;
    }
    now = next;
  };
  const std::uint32_t i = graph_.interior(p);
  if (const Planner* planner = state_.planner(i)) {
    std::vector<std::int64_t> amounts(graph_.shape_of_interior(i).totals.size() + 1);
    for (std::optional<std::int64_t> at = start; at && *at < end;
         at = planner->next_step(*at + 1)) {
      for (std::uint32_t k = 0; k < amounts.size(); ++k) amounts[k] = planner->used_at(k, *at);
      until(*at, closed(p, amounts));
    }
  }
  busy_.change(one_, now, from, end);
}

void PoolTimeline::check_size() {
  if (busy_.bytes() <= limits_.bytes_max) return;
  usable_ = false;
  busy_.clear();
}

void PoolTimeline::applied(const Selection& selection, std::int64_t start, std::int64_t end,
                           int sign) {
  if (!usable_ || pools_.empty()) return;
  const TypeId type = graph_.type(pools_[0]);
  std::fill(held_.begin(), held_.end(), 0);
  std::vector<PoolId> shared;
  PoolId covering = kNoPool;
  for (const SelectedPools& t : selection.taken) {
    if (graph_.leaf(t.first)) continue;
    if (covering != kNoPool && graph_.below(t.first, covering)) continue;
    const bool exclusive = t.exclusive || t.whole;
    if (graph_.type(t.first) == type) {
      if (exclusive || (sign > 0 && needs_.empty())) {
        add(held_, t.first);
      } else {
        shared.push_back(t.first);
      }
    }
    if (!exclusive) continue;
    covering = t.first;
    if (graph_.shape(covering).total(type) <= 0) continue;
    graph_.for_each_interior_below(covering, [&](std::uint32_t i) {
      const PoolId p = graph_.interior_pool(i);
      if (graph_.type(p) == type) add(held_, p);
    });
  }
  busy_.change(held_, sign > 0, start, end);
  for (PoolId p : shared) follow(p, start, end);
  check_size();
}

}  // namespace copse
