// SPDX-License-Identifier: Apache-2.0
//
// A machine that grows and shrinks. Grants that hold something above what comes or goes are taken
// back before and applied again afterwards, so that the state is always what applying every grant
// to the machine as it is gives.
#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/impl.hpp"
#include "engine/rebuild.hpp"

namespace copse {

namespace {
constexpr std::uint32_t kRemovedMin = 65'536;  // below, removed pools are not worth a new graph
}

// Grants that hold a pool above `top`, at any time; with what they hold from there down.
std::vector<std::uint32_t> Engine::Impl::holders(PoolId top, bool with_below) const {
  std::vector<std::uint32_t> out;
  auto note = [&](PoolId p) {
    for (const Hold& hold : state.holds().all(p)) out.push_back(hold.grant);
    return true;
  };
  for (PoolId up = graph.parent(top); up != kNoPool; up = graph.parent(up)) note(up);
  if (with_below) graph.preorder(top, note);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Types that are new, or are leaves for the first time, are tracked as if they had been there.
void Engine::Impl::prime_filters(PoolId top) {
  bool known = true;
  graph.preorder(top, [&](PoolId p) {
    known = known && filters.knows(graph.type(p), graph.children(p).empty());
    return known;
  });
  if (known) return;
  auto again = PruneFilters::parse(options.prune_filters, graph, &filters);
  if (again) filters = std::move(*again);
}

// Fluxion's planners raise what a pool has at the first of their times only, not at those further
// on that are known when the machine grows. A recorded session pins what follows from it: a job
// that needs what came waits until the last of them.
std::optional<Growth> Engine::Impl::growth_of(const NewSubtree& subtree) const {
  if (!options.growth_waits || graph.leaf(graph.root())) return {};
  const Planner* planner = state.planner(graph.interior(graph.root()));
  if (planner == nullptr) return {};
  Growth made;
  for (auto t = planner->next_step(options.now + 1); t; t = planner->next_step(*t + 1)) {
    made.changes.push_back(*t);
  }
  if (made.changes.empty()) return {};
  std::map<TypeId, std::int64_t> units;
  for (const NewPool& p : subtree.pools) units[p.type] += p.size;
  for (const auto& [type, sum] : units) made.units.push_back({type, sum});
  return made;
}

void Engine::Impl::forget_growth(const PoolMarks& gone) {
  for (Growth& g : growth) {
    std::erase_if(g.pools, [&](PoolId p) {
      if (!gone.contains(p.v)) return false;
      for (TypeTotal& came : g.units) came.total -= came.type == graph.type(p) ? graph.size(p) : 0;
      return true;
    });
  }
  std::erase_if(growth, [](const Growth& g) { return g.pools.empty(); });
}

void Engine::Impl::forget_growth() {
  if (growth.empty()) return;
  const Planner* planner = state.planner(graph.interior(graph.root()));
  const auto over = [&](std::int64_t t) {
    return t <= options.now || planner == nullptr || planner->next_step(t) != t;
  };
  for (Growth& g : growth) {
    while (!g.changes.empty() && over(g.changes.back())) g.changes.pop_back();
    while (!g.changes.empty() && over(g.changes.front())) g.changes.pop_front();
  }
  std::erase_if(growth, [](const Growth& g) { return g.changes.empty(); });
}

// Whether the request's totals fit over [start, end) without what does not count yet.
bool Engine::Impl::counts_growth(const CompiledRequest& request, std::int64_t start,
                                 std::int64_t end) const {
  const Shape& shape = graph.shape(graph.root());
  for (const Growth& g : growth) {
    const std::int64_t from = g.changes.front(), until = g.changes.back();
    if (end <= from || start >= until) continue;
    for (const TypeTotal& came : g.units) {
      const std::int64_t units = request.total_of(came.type);
      const int k = shape.total_index(came.type);
      if (units <= 0 || k < 0) continue;
      const auto at = static_cast<std::uint32_t>(k);
      const std::int64_t used = state.most_used(graph.interior(graph.root()), at + 1,
                                                std::max(start, from), std::min(end, until));
      if (units > shape.totals[at].total - came.total - used) return false;
    }
  }
  return true;
}

void Engine::Impl::attach(const NewSubtree& subtree) {
  std::optional<Growth> came = growth_of(subtree);
  std::vector<std::uint32_t> lifted = holders(subtree.parent, false);
  for (const Hold& hold : state.holds().all(subtree.parent)) lifted.push_back(hold.grant);
  std::sort(lifted.begin(), lifted.end());
  lifted.erase(std::unique(lifted.begin(), lifted.end()), lifted.end());
  if (widens(graph, subtree.parent, subtree.pools)) {
    // A pool that gets a type it had not has amounts of one type more: it must have none then.
    lifted.clear();
    std::as_const(grants).for_each(
        [&](std::uint32_t number, const Grant&) { lifted.push_back(number); });
  }
  for (std::uint32_t number : lifted) apply(number, -1);
  if (auto top = graph.attach(subtree.parent, subtree.pools)) {
    const GraphChange& change = graph.changes().back();
    state.grow(change);
    prime_filters(*top);
    search.walks().one_pass().attached(change);
    search.times().graph_changed();
    if (supply != nullptr) supply->own_numbers().attached(graph, *top);
    for (std::uint32_t i = 0; i < subtree.pools.size(); ++i) {
      if (subtree.pools[i].down) set_status(PoolId{top->v + i}, Status::down);
      if (came) came->pools.push_back(PoolId{top->v + i});
    }
    if (came) growth.push_back(std::move(*came));
  }
  for (std::uint32_t number : lifted) apply(number, 1);
}

Result<void> Engine::grow(std::span<const NewSubtree> subtrees) {
  if (impl_->fixed_graph()) return rebuild(subtrees);
  for (const NewSubtree& subtree : subtrees) {
    auto may = impl_->graph.may_attach(subtree.parent, subtree.pools);
    if (!may && may.error().code == ErrorCode::unsupported) return rebuild(subtrees);
    if (!may) return may;
  }
  std::uint64_t pools = impl_->graph.pool_count();
  std::map<TypeId, std::int64_t> units;
  for (const TypeTotal& t : impl_->graph.shape(impl_->graph.root()).totals) units[t.type] = t.total;
  for (const NewSubtree& subtree : subtrees) {
    pools += subtree.pools.size();
    for (const NewPool& p : subtree.pools) {
      if (!__builtin_add_overflow(units[p.type], p.size, &units[p.type])) continue;
      return fail(ErrorCode::limit, fmt::format("the units of type {} exceed 2^63 - 1",
                                                impl_->graph.type_name(p.type)));
    }
  }
  if (pools > GraphBuilder::Limits{}.pools_max) {
    return fail(ErrorCode::limit,
                fmt::format("more than {} pools", GraphBuilder::Limits{}.pools_max));
  }
  for (const NewSubtree& subtree : subtrees) impl_->attach(subtree);
  return {};
}

Result<void> Engine::attach(std::span<const NewSubtree> subtrees) {
  const bool there = std::ranges::all_of(subtrees, [&](const NewSubtree& subtree) {
    return subtree.parent.v < impl_->graph.pool_count() && !impl_->graph.removed(subtree.parent);
  });
  if (!there || !impl_->effects->on()) return grow(subtrees);
  effect::Attached effect = impl_->effects->attaching(impl_->graph, subtrees);
  const std::uint64_t version = impl_->graph_version;
  if (auto done = grow(subtrees); !done) return done;
  effect.rebuilt = impl_->graph_version != version;
  impl_->effects->note_types(impl_->graph);
  impl_->effects->take(std::move(effect));
  return {};
}

void Engine::Impl::mark_below(PoolId top, PoolMarks& marks) const {
  graph.preorder(top, [&](PoolId p) {
    marks.insert(p.v);
    return true;
  });
}

void Engine::Impl::remove(PoolId top, std::vector<JobId>& jobs) {
  PoolMarks gone;
  mark_below(top, gone);
  forget_growth(gone);
  std::vector<std::uint32_t> lifted = holders(top, true);
  std::as_const(grants).for_each([&](std::uint32_t number, const Grant& grant) {
    const auto& moved = grant.selection.moved;
    const auto through = [&](const auto& way) { return gone.contains(way.second.v); };
    if (std::ranges::any_of(moved, through)) lifted.push_back(number);
  });
  std::ranges::sort(lifted);
  lifted.erase(std::ranges::unique(lifted).begin(), lifted.end());
  for (std::uint32_t number : lifted) apply(number, -1);
  for (std::uint32_t number : lifted) {
    if (take_from(number, gone) > 0) jobs.push_back(grants[number].job);
  }
  if (supply != nullptr) supply->own_numbers().removing(graph, top);
  [[maybe_unused]] auto removed = graph.remove(top);  // asked before: it may
  assert(removed);
  state.shrink(graph.changes().back());
  search.walks().one_pass().removed(graph.changes().back());
  search.times().graph_changed();
  const PoolId up = graph.changes().back().parent;
  if (graph.children(up).empty()) prime_filters(up);
  for (std::uint32_t number : lifted) {
    if (grants[number].selection.empty()) {
      grants.drop(number);
    } else {
      apply(number, 1);
    }
  }
  forget_growth();
}

Result<std::vector<JobId>> Engine::shrink(std::span<const PoolId> tops, const Settle& settle) {
  const ResourceGraph& graph = impl_->graph;
  for (PoolId p : tops) {  // all of them, or none
    auto may = graph.may_remove(p);
    if (!may && may.error().code == ErrorCode::unsupported) {
      return fail(ErrorCode::unsupported, may.error().text + "; it cannot be removed");
    }
    if (!may) return std::unexpected(may.error());
  }
  std::optional<BuiltAgain> built;
  if (impl_->fixed_graph()) {
    Impl::PoolMarks gone;
    for (PoolId p : tops) impl_->mark_below(p, gone);
    auto made = impl_->build_again({}, gone);
    if (!made) return std::unexpected(made.error());
    built = std::move(*made);
  }
  std::vector<JobId> jobs;
  for (PoolId p : tops) {
    if (!graph.removed(p)) impl_->remove(p, jobs);  // else with another of them
  }
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  const bool again = built || (graph.removed_count() > kRemovedMin &&
                               graph.removed_count() > graph.pool_count() / 2);
  const bool rebuilt = settle(jobs, again) || built;
  if (built) {
    move_to(std::move(*built));
  } else if (rebuilt) {
    [[maybe_unused]] auto compacted = rebuild({});  // else the gaps stay
  }
  return jobs;
}

Result<std::vector<JobId>> Engine::remove(std::span<const PoolId> tops) {
  if (!impl_->effects->on()) {
    return shrink(tops, [](std::span<const JobId>, bool again) { return again; });
  }
  effect::Removed effect;
  for (PoolId p : tops) {
    if (p.v < impl_->graph.pool_count()) effect.tops.push_back(impl_->graph.uniq_id(p));
  }
  auto jobs = shrink(tops, [&](std::span<const JobId> cut, bool again) {
    for (const JobId job : cut) {
      const Grant* left = grant(job);
      if (left == nullptr) continue;
      describe(impl_->graph, impl_->channels.get(), *left, effect.left.emplace_back());
    }
    return effect.rebuilt = again;
  });
  if (jobs) impl_->effects->take(std::move(effect));
  return jobs;
}

Result<void> Engine::compact() {
  auto done = rebuild({});
  if (done && impl_->effects->on()) impl_->effects->take(effect::Compacted{});
  return done;
}

}  // namespace copse
