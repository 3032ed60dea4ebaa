// SPDX-License-Identifier: Apache-2.0
#include "engine/partial.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/changes/layer_changes.hpp"
#include "engine/grant_check.hpp"
#include "match/shared/selection_builder.hpp"

namespace copse {

PoolId first_conflict(EngineParts& e, const Selection& selection, std::int64_t start,
                      std::int64_t end) {
  const ResourceGraph& graph = e.graph;
  const State& state = e.state;
  MultiParentPaths& paths = e.search.walks().simple().paths();
  PoolId covering = kNoPool;  // pools below it are free if it is
  auto amount = selection.amounts.begin();
  for (const SelectedPools& t : selection.taken) {
    const bool divided = amount != selection.amounts.end() && amount->pool == t.first;
    const std::int64_t units = divided ? (amount++)->units : 0;
    if (covering != kNoPool && graph.below(t.first, covering)) continue;
    covering = kNoPool;
    if (divided) {
      if (units > state.free_units(t.first, start, end)) return t.first;
      continue;
    }
    for (std::uint32_t v = t.first.v; v < t.first.v + t.count; ++v) {
      const PoolId p{v};
      const bool exclusive = t.exclusive || t.whole;
      if (exclusive ? state.touched(p, start, end) : state.allocated(p, start, end)) return p;
      if (paths.covered(state, p, start, end)) return p;
      if (exclusive && !paths.idle(state, p, start, end)) return p;
      if (exclusive && !graph.leaf(p)) covering = p;
    }
  }
  return kNoPool;
}

Result<void> check_available(EngineParts& e, const Grant& grant) {
  if (const PoolId busy = first_conflict(e, grant.selection, grant.start, grant.end);
      busy != kNoPool) {
    return fail(ErrorCode::insufficient, fmt::format("{} is unavailable.", e.graph.name(busy)));
  }
  return ChargeCheck(e.graph, e.hres.get(), e.channels.get(), grant.start, grant.end)
      .add(grant.charges);
}

namespace {

// `moved`: as in Selection; may include other pools.
Selection select_exclusively(const ResourceGraph& graph, std::span<const PoolId> pools,
                             std::span<const PoolAmount> amounts,
                             const SelectionBuilder::Moved& moved = {}) {
  static const CompiledRequest nothing;
  SelectionBuilder picked;
  for (PoolId p : pools) picked.add(graph, p, 0, true);
  for (const PoolAmount& amount : amounts) {
    if (graph.divisible(amount.pool) && amount.units > 0) {
      picked.add_units(amount.pool, 0, true, amount.units);
    }
  }
  Selection out;
  picked.finish(graph, nothing, out, moved);
  return out;
}

// What a job keeps of a divisible pool that it gives back, if only amounts of it are given back.
// REQUIRES that the amounts are in the order of the pools.
std::int64_t units_left(const ExpandedPool& held, std::span<const PoolAmount> amounts) {
  const auto of_pool = std::ranges::equal_range(amounts, held.pool, {}, &PoolAmount::pool);
  if (held.units == 0 || of_pool.empty()) return 0;
  std::int64_t left = held.units;
  for (const PoolAmount& a : of_pool) left -= std::clamp<std::int64_t>(a.units, 0, left);
  return left;
}

}  // namespace

Result<const Match*> update(EngineParts& e, JobId job, const PoolChoice& choice,
                            const StartAndDuration& when, const GrantCharges& charges) {
  const auto [pools, amounts] = choice;
  const auto [start, duration_s] = when;
  if (e.grants.contains(job)) {
    return fail(ErrorCode::exists, fmt::format("job {} has a grant already", job));
  }
  if (start < e.options.now || duration_s <= 0 || start >= e.options.horizon) {
    return fail(ErrorCode::invalid, fmt::format("invalid time ({}, {})", start, duration_s));
  }
  for (PoolId p : pools) {
    if (p.v < e.graph.pool_count() && e.graph.in_tree(p)) continue;
    return fail(ErrorCode::invalid, "a pool is not in the machine");
  }
  std::vector<PoolId> once(pools.begin(), pools.end());
  std::sort(once.begin(), once.end());
  once.erase(std::unique(once.begin(), once.end()), once.end());
  for (const PoolAmount& amount : amounts) {
    if (std::ranges::binary_search(once, amount.pool)) continue;
    return fail(ErrorCode::invalid, "an amount is of a pool that is not taken");
  }
  Selection selection = select_exclusively(e.graph, once, amounts);
  if (selection.empty()) return fail(ErrorCode::invalid, "there is no pool to take");
  const std::int64_t end = start + std::min(duration_s, e.options.horizon - start);
  if (const PoolId busy = first_conflict(e, selection, start, end); busy != kNoPool) {
    return fail(ErrorCode::insufficient, fmt::format("{} is unavailable.", e.graph.name(busy)));
  }
  GrantCharges settled = charges;
  if (!settled.needs.empty()) {
    if (e.hres == nullptr)
      return fail(ErrorCode::invalid, "no hierarchical resources are configured");
    e.search.charged_walk().settle(selection, {.start = start, .end = end}, job, settled);
    ChargeCheck check(e.graph, e.hres.get(), e.channels.get(), start, end);
    if (auto ok = check.add(settled); !ok) return std::unexpected(ok.error());
  }
  e.updated = {.start = start,
               .end = end,
               .nslots = 0,
               .selection = std::move(selection),
               .charges = std::move(settled)};
  e.grant_match(job, e.updated);
  if (e.effects->on()) e.effects->granted(e.graph, e.channels.get(), *e.grants.find(job));
  e.search.walks().explored(e.updated.selection, true);
  return &e.updated;
}

bool has_any(const SelectedPools& selected, const PoolMarks& pools) {
  const std::uint32_t first = selected.first.v, end = first + selected.count;
  if (selected.count > pools.size()) {
    return std::ranges::any_of(pools, [&](std::uint32_t v) { return v >= first && v < end; });
  }
  for (std::uint32_t v = first; v < end; ++v) {
    if (pools.contains(v)) return true;
  }
  return false;
}

std::uint32_t remove_pools(EngineParts& e, std::uint32_t number, const PoolMarks& pools,
                           std::span<const PoolAmount> amounts) {
  Grant& grant = e.grants.own(number);
  Selection& selection = grant.selection;
  std::vector<ExpandedPool> expanded;
  expand(e.graph, selection, expanded);
  std::vector<PoolAmount> returned(amounts.begin(), amounts.end());
  std::ranges::sort(returned, {}, &PoolAmount::pool);
  std::vector<PoolId> kept;
  std::vector<PoolAmount> units;
  std::uint32_t had = 0;
  for (const ExpandedPool& p : expanded) {
    const bool listed = pools.contains(p.pool.v);
    had += listed ? 1 : 0;
    const std::int64_t left = listed ? units_left(p, returned) : p.units;
    if (!p.exclusive || (listed && left == 0)) continue;
    kept.push_back(p.pool);
    if (p.units > 0) units.push_back({p.pool, left});
  }
  const bool other =
      std::ranges::any_of(selection.taken, [&](const auto& t) { return has_any(t, pools); });
  if (had == 0 && !other) return 0;
  std::sort(kept.begin(), kept.end());
  // A pool whose other path was removed is reached through its parent in the tree.
  SelectionBuilder::Moved moved = selection.moved;
  std::erase_if(moved, [&](const auto& way) { return pools.contains(way.second.v); });
  selection = select_exclusively(e.graph, kept, units, moved);
  if (!grant.charges.needs.empty()) recompute_charges(e, grant);
  if (!grant.charges.pools.empty()) recompute_channel_charges(e, grant);
  return had;
}

Result<bool> cancel_part(EngineParts& e, JobId job, const PoolChoice& choice, bool planned_too) {
  const auto found = e.grants.number_of(job);
  if (!found) return fail(ErrorCode::not_found, fmt::format("nonexistent job {}", job));
  const std::uint32_t number = *found;
  if (e.grants[number].start > e.options.now && !planned_too) {
    return fail(ErrorCode::unsupported, "reservations not currently supported by partial cancel");
  }
  PoolMarks marks;
  for (PoolId p : choice.pools) marks.insert(p.v);
  e.apply(number, -1);
  const std::uint32_t had = remove_pools(e, number, marks, choice.amounts);
  if (e.grants[number].selection.empty()) {
    e.drop(number);
    if (e.effects->on()) e.effects->take(effect::Cancelled{job});
    return true;
  }
  e.apply(number, 1);
  if (had == 0) {
    return fail(ErrorCode::invalid, fmt::format("job {} has none of these resources", job));
  }
  if (e.effects->on()) {
    e.effects->changed(e.graph, e.channels.get(), e.grants[number], false);
  }
  return false;
}

// After its current end the grant does not conflict with itself.
Result<void> set_end(EngineParts& e, JobId job, std::int64_t end) {
  const auto found = e.grants.number_of(job);
  if (!found) return fail(ErrorCode::not_found, fmt::format("nonexistent job {}", job));
  const std::uint32_t number = *found;
  const Grant& grant = e.grants[number];
  const std::int64_t after = std::max(grant.start, e.options.now);
  if (end <= after || end > e.options.horizon) {
    return fail(ErrorCode::invalid,
                fmt::format("{} is not a valid end for job {}: it must be after {} and at most {}",
                            end, job, after, e.options.horizon));
  }
  if (end == grant.end) return {};
  if (end > grant.end) {
    const PoolId busy = first_conflict(e, grant.selection, grant.end, end);
    if (busy != kNoPool) {
      return fail(ErrorCode::insufficient, fmt::format("{} is unavailable.", e.graph.name(busy)));
    }
  }
  e.apply(number, -1);
  e.grants.own(number).end = end;
  e.grant_events.note(e.grants, number, e.options);
  e.apply(number, 1);
  e.forget_changes();
  if (e.effects->on()) e.effects->changed(e.graph, e.channels.get(), e.grants[number], false);
  return {};
}

}  // namespace copse
