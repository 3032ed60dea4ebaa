// SPDX-License-Identifier: Apache-2.0
#include "engine/changes/grow.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/changes/rebuild.hpp"
#include "engine/partial.hpp"
#include "graph/graph_builder.hpp"
#include "graph/graph_growth.hpp"

namespace copse {

namespace {

constexpr std::uint32_t kRemovedMin = 65'536;  // with fewer removed pools, a rebuild is not worth
                                               // it

// Grants that have a pool above `top` exclusively, at any time; `with_below`: also those with pools
// from there down.
std::vector<std::uint32_t> holders(const EngineParts& e, PoolId top, bool with_below) {
  std::vector<std::uint32_t> out;
  auto note = [&](PoolId p) {
    for (const ExclusiveSpan& span : e.state.exclusive_spans().all(p)) out.push_back(span.grant);
    return true;
  };
  for (PoolId up = e.graph.parent(top); up != kNoPool; up = e.graph.parent(up)) note(up);
  if (with_below) e.graph.preorder(top, note);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// New types, and types of leaves for the first time, are tracked as if they had existed before.
void prime_filters(EngineParts& e, PoolId top) {
  bool known = true;
  e.graph.preorder(top, [&](PoolId p) {
    known = known && e.filters.knows(e.graph.type(p), e.graph.children(p).empty());
    return known;
  });
  if (known) return;
  auto again = PruneFilters::parse(e.options.prune_filters, e.graph, &e.filters);
  if (again) e.filters = std::move(*again);
}

void attach_one(EngineParts& e, const NewSubtree& subtree) {
  std::optional<Growth> came;
  if (e.options.growth_waits) came = GrowthLedger::entry_of(e.graph, e.state, subtree);
  std::vector<std::uint32_t> lifted = holders(e, subtree.parent, false);
  for (const ExclusiveSpan& span : e.state.exclusive_spans().all(subtree.parent))
    lifted.push_back(span.grant);
  std::sort(lifted.begin(), lifted.end());
  lifted.erase(std::unique(lifted.begin(), lifted.end()), lifted.end());
  if (widens(e.graph, subtree.parent, subtree.pools)) {
    // A pool that gains a type has amounts of one more type: no grant may be applied to it then.
    lifted.clear();
    std::as_const(e.grants).for_each(
        [&](std::uint32_t number, const Grant&) { lifted.push_back(number); });
  }
  for (std::uint32_t number : lifted) e.apply(number, -1);
  if (auto top = GraphGrowth(e.graph).attach(subtree.parent, subtree.pools)) {
    const GraphChange& change = e.graph.changes().back();
    e.state.grow(change);
    prime_filters(e, *top);
    e.search.walks().simple().attached(change);
    e.search.times().graph_changed();
    if (e.hres != nullptr) e.hres->own_numbers().attached(e.graph, *top);
    for (std::uint32_t i = 0; i < subtree.pools.size(); ++i) {
      if (subtree.pools[i].down) e.set_status(PoolId{top->v + i}, Status::down);
      if (came) came->pools.push_back(PoolId{top->v + i});
    }
    if (came) e.growth.add(std::move(*came));
  }
  for (std::uint32_t number : lifted) e.apply(number, 1);
}

void mark_below(const ResourceGraph& graph, PoolId top, PoolMarks& marks) {
  graph.preorder(top, [&](PoolId p) {
    marks.insert(p.v);
    return true;
  });
}

void remove_one(EngineParts& e, PoolId top, std::vector<JobId>& jobs) {
  PoolMarks gone;
  mark_below(e.graph, top, gone);
  e.growth.forget_pools(e.graph, gone);
  std::vector<std::uint32_t> lifted = holders(e, top, true);
  std::as_const(e.grants).for_each([&](std::uint32_t number, const Grant& grant) {
    const auto& moved = grant.selection.moved;
    const auto through = [&](const auto& way) { return gone.contains(way.second.v); };
    const auto divided = [&](const PoolAmount& amount) { return gone.contains(amount.pool.v); };
    // Shared pools, and hidden ones, have no span: a grant may have nothing else there.
    const auto taken = [&](const SelectedPools& t) { return has_any(t, gone); };
    if (std::ranges::any_of(moved, through) || std::ranges::any_of(grant.selection.taken, taken) ||
        std::ranges::any_of(grant.selection.amounts, divided)) {
      lifted.push_back(number);
    }
  });
  std::ranges::sort(lifted);
  lifted.erase(std::ranges::unique(lifted).begin(), lifted.end());
  for (std::uint32_t number : lifted) e.apply(number, -1);
  for (std::uint32_t number : lifted) {
    if (remove_pools(e, number, gone) > 0) jobs.push_back(e.grants[number].job);
  }
  if (e.hres != nullptr) e.hres->own_numbers().removing(e.graph, top);
  [[maybe_unused]] auto removed = GraphGrowth(e.graph).remove(top);  // checked before: cannot fail
  assert(removed);
  e.state.shrink(e.graph.changes().back());
  e.search.walks().simple().removed(e.graph.changes().back());
  e.search.times().graph_changed();
  const PoolId up = e.graph.changes().back().parent;
  if (e.graph.children(up).empty()) prime_filters(e, up);
  for (std::uint32_t number : lifted) {
    if (e.grants[number].selection.empty()) {
      e.grants.drop(number);
    } else {
      e.apply(number, 1);
    }
  }
  e.forget_changes();
}

}  // namespace

Result<void> grow(std::unique_ptr<EngineParts>& parts, std::span<const NewSubtree> subtrees) {
  if (parts->fixed_graph()) return rebuild(parts, subtrees);
  for (const NewSubtree& subtree : subtrees) {
    auto may = GraphGrowth(parts->graph).may_attach(subtree.parent, subtree.pools);
    if (!may && may.error().code == ErrorCode::unsupported) return rebuild(parts, subtrees);
    if (!may) return may;
  }
  std::uint64_t pools = parts->graph.pool_count();
  std::map<TypeId, std::int64_t> units;
  for (const TypeTotal& t : parts->graph.shape(parts->graph.root()).totals) units[t.type] = t.total;
  for (const NewSubtree& subtree : subtrees) {
    pools += subtree.pools.size();
    for (const NewPool& p : subtree.pools) {
      if (!__builtin_add_overflow(units[p.type], p.size, &units[p.type])) continue;
      return fail(ErrorCode::limit, fmt::format("the units of type {} exceed 2^63 - 1",
                                                parts->graph.type_name(p.type)));
    }
  }
  if (pools > GraphBuilder::Limits{}.pools_max) {
    return fail(ErrorCode::limit,
                fmt::format("more than {} pools", GraphBuilder::Limits{}.pools_max));
  }
  const std::int64_t before = parts->usable_nodes();
  for (const NewSubtree& subtree : subtrees) attach_one(*parts, subtree);
  parts->growth.note_nodes(before, parts->usable_nodes());
  return {};
}

Result<void> attach(std::unique_ptr<EngineParts>& parts, std::span<const NewSubtree> subtrees) {
  const bool there = std::ranges::all_of(subtrees, [&](const NewSubtree& subtree) {
    return subtree.parent.v < parts->graph.pool_count() && !parts->graph.removed(subtree.parent);
  });
  if (!there || !parts->effects->on()) return grow(parts, subtrees);
  effect::Attached effect = parts->effects->attaching(parts->graph, subtrees);
  const std::uint64_t version = parts->graph_version;
  if (auto done = grow(parts, subtrees); !done) return done;
  effect.rebuilt = parts->graph_version != version;
  parts->effects->note_types(parts->graph);
  parts->effects->take(std::move(effect));
  return {};
}

Result<std::vector<JobId>> shrink(std::unique_ptr<EngineParts>& parts, std::span<const PoolId> tops,
                                  const Settle& settle) {
  const ResourceGraph& graph = parts->graph;
  for (PoolId p : tops) {  // check all first: remove all or none
    auto may = GraphGrowth(parts->graph).may_remove(p);
    if (!may && may.error().code == ErrorCode::unsupported) {
      return fail(ErrorCode::unsupported, may.error().text + "; it cannot be removed");
    }
    if (!may) return std::unexpected(may.error());
  }
  std::optional<Rebuilt> built;
  if (parts->fixed_graph()) {
    PoolMarks gone;
    for (PoolId p : tops) mark_below(graph, p, gone);
    auto made = build_again(*parts, {}, gone);
    if (!made) return std::unexpected(made.error());
    built = std::move(*made);
  }
  std::vector<JobId> jobs;
  const std::int64_t before = parts->usable_nodes();
  for (PoolId p : tops) {
    if (!graph.removed(p)) remove_one(*parts, p, jobs);  // else it was below another one
  }
  parts->growth.note_nodes(before, parts->usable_nodes());
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  const bool again = built || (graph.removed_count() > kRemovedMin &&
                               graph.removed_count() > graph.pool_count() / 2);
  const bool rebuilt = settle(jobs, again) || built;
  if (built) {
    move_to(std::move(*built), parts);
  } else if (rebuilt) {
    [[maybe_unused]] auto compacted = rebuild(parts, {});  // if it fails, the gaps stay
  }
  return jobs;
}

Result<std::vector<JobId>> remove(std::unique_ptr<EngineParts>& parts,
                                  std::span<const PoolId> tops) {
  if (!parts->effects->on()) {
    return shrink(parts, tops, [](std::span<const JobId>, bool again) { return again; });
  }
  effect::Removed effect;
  for (PoolId p : tops) {
    if (p.v < parts->graph.pool_count()) effect.tops.push_back(parts->graph.uniq_id(p));
  }
  auto jobs = shrink(parts, tops, [&](std::span<const JobId> cut, bool again) {
    for (const JobId job : cut) {
      const Grant* left = parts->grants.find(job);
      if (left == nullptr) continue;
      describe(parts->graph, parts->channels.get(), *left, effect.left.emplace_back());
    }
    return effect.rebuilt = again;
  });
  if (jobs) parts->effects->take(std::move(effect));
  return jobs;
}

}  // namespace copse
