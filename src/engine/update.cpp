// SPDX-License-Identifier: Apache-2.0
//
// Grants as such: made from what was chosen elsewhere, given back in part.
#include <algorithm>

#include <fmt/format.h>

#include "engine/impl.hpp"
#include "match/shared/finish.hpp"

namespace copse {

Grant& Engine::Impl::new_grant(JobId job, std::int64_t start, std::int64_t end) {
  if (free_grants.empty()) {
    free_grants.push_back(static_cast<std::uint32_t>(grants.size()));
    grants.emplace_back();
  }
  const std::uint32_t number = free_grants.back();
  free_grants.pop_back();
  Grant& grant = grants[number];
  grant.job = job;
  grant.start = start;
  grant.end = end;
  by_job.emplace(job, number);
  note_times(number);
  return grant;
}

void Engine::Impl::drop_grant(std::uint32_t number) {
  Grant& grant = grants[number];
  by_job.erase(grant.job);
  grant.job = 0;
  grant.nslots = 0;
  grant.selection.taken.clear();
  grant.selection.moved.clear();
  grant.draw.clear();
  // A large grant's memory is returned, that of small ones used again: so that a number whose
  // grants vary does not keep what the largest of them took.
  if (grant.selection.taken.capacity() > 8) grant.selection.taken.shrink_to_fit();
  free_grants.push_back(number);
}

void Engine::Impl::apply(std::uint32_t number, int sign) {
  const Grant& grant = grants[number];
  state.apply(grant.selection, grant.start, grant.end, number, sign);
  openings.applied(grant.selection, grant.start, grant.end, sign);
  if (treepool != nullptr) {
    treepool->nodes().applied(grant.selection, grant.start, grant.end, sign);
  }
  if (!grant.draw.needs.empty()) {
    supply->apply(grant.job, grant.draw.charges, grant.start, grant.end, sign);
  }
  if (channels != nullptr) channels->apply(grant.draw.channels, grant.start, grant.end, sign);
}

// The first pool of a selection that somebody else has at some time of [start, end); else kNoPool.
PoolId Engine::Impl::not_free(const Selection& selection, std::int64_t start, std::int64_t end) {
  Ways& ways = matcher.ways();
  PoolId covering = kNoPool;  // what is below it is free with it
  for (const Taken& t : selection.taken) {
    if (covering != kNoPool && graph.below(t.first, covering)) continue;
    covering = kNoPool;
    for (std::uint32_t v = t.first.v; v < t.first.v + t.count; ++v) {
      const PoolId p{v};
      const bool exclusive = t.exclusive || t.whole;
      if (exclusive ? state.touched(p, start, end) : state.held(p, start, end)) return p;
      if (ways.covered(state, p, start, end)) return p;
      if (exclusive && !ways.idle(state, p, start, end)) return p;
      if (exclusive && !graph.leaf(p)) covering = p;
    }
  }
  return kNoPool;
}

namespace {

// `moved`: as in Selection, may have more than these pools.
Selection select_exclusively(const ResourceGraph& graph, std::span<const PoolId> pools,
                             const Picked::Moved& moved = {}) {
  static const CompiledRequest nothing;
  Picked picked;
  for (PoolId p : pools) picked.add(graph, p, 0, true);
  Selection out;
  picked.finish(graph, nothing, out, moved);
  return out;
}

}  // namespace

Result<const Match*> Engine::update(JobId job, std::span<const PoolId> pools, std::int64_t start,
                                    std::int64_t duration_s) {
  Impl& e = *impl_;
  if (e.by_job.contains(job)) {
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
  Selection selection = select_exclusively(e.graph, once);
  if (selection.empty()) return fail(ErrorCode::invalid, "there is no pool to take");
  const std::int64_t end = start + std::min(duration_s, e.options.horizon - start);
  if (const PoolId busy = e.not_free(selection, start, end); busy != kNoPool) {
    return fail(ErrorCode::insufficient, fmt::format("{} is unavailable.", e.graph.name(busy)));
  }
  Grant& grant = e.new_grant(job, start, end);
  grant.selection = selection;
  e.apply(e.by_job.at(job), 1);
  e.match.start = start;
  e.match.end = end;
  e.match.nslots = 0;
  e.match.draw.clear();
  e.match.selection = std::move(selection);
  if (e.treepool == nullptr) e.matcher.explored(e.match.selection, true);
  return &e.match;
}

// Takes pools out of a grant that is not applied; returns how many it had of them.
std::uint32_t Engine::Impl::take_from(std::uint32_t number, const PoolMarks& pools) {
  Selection& selection = grants[number].selection;
  std::vector<Emitted> emitted;
  expand(graph, selection, emitted);
  std::vector<PoolId> kept;
  std::uint32_t had = 0;
  for (const Emitted& p : emitted) {
    const bool gone = pools.contains(p.pool.v);
    had += gone ? 1 : 0;
    if (p.exclusive && !gone) kept.push_back(p.pool);
  }
  if (had == 0) return 0;
  std::sort(kept.begin(), kept.end());
  selection = select_exclusively(graph, kept, selection.moved);
  if (!grants[number].draw.needs.empty()) redraw(grants[number]);
  if (!grants[number].draw.drawn.empty()) redraw_channels(grants[number]);
  return had;
}

Result<bool> Engine::cancel_part(JobId job, std::span<const PoolId> pools, bool planned_too) {
  Impl& e = *impl_;
  auto it = e.by_job.find(job);
  if (it == e.by_job.end())
    return fail(ErrorCode::not_found, fmt::format("nonexistent job {}", job));
  const std::uint32_t number = it->second;
  if (e.grants[number].start > e.options.now && !planned_too) {
    return fail(ErrorCode::unsupported, "reservations not currently supported by partial cancel");
  }
  Impl::PoolMarks marks;
  for (PoolId p : pools) marks.insert(p.v);
  e.apply(number, -1);
  const std::uint32_t had = e.take_from(number, marks);
  if (e.grants[number].selection.empty()) {
    e.drop_grant(number);
    e.forget_growth();
    return true;
  }
  e.apply(number, 1);
  if (had == 0) {
    return fail(ErrorCode::invalid, fmt::format("job {} has none of these resources", job));
  }
  return false;
}

}  // namespace copse
