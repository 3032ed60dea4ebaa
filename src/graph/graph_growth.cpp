// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_growth.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "graph/graph_builder.hpp"
#include "graph/graph_shapes.hpp"

namespace copse {

namespace {

// A leaf run has consecutive numbers: if one is removed from its middle, it becomes two runs.
void drop_from_runs(std::vector<ChildRun>& runs, std::uint32_t c) {
  std::size_t r = 0;
  while (runs[r].first + runs[r].count <= c) ++r;
  const std::uint32_t at = c - runs[r].first;
  for (std::size_t later = r + 1; later < runs.size(); ++later) --runs[later].first;
  if (runs[r].count == 1) {
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(r));
    return;
  }
  if (runs[r].leaves && at > 0 && at + 1 < runs[r].count) {
    ChildRun rest = runs[r];
    rest.first = c;
    rest.count = runs[r].count - at - 1;
    runs[r].count = at;
    runs.insert(runs.begin() + static_cast<std::ptrdiff_t>(r) + 1, rest);
    return;
  }
  --runs[r].count;
}

}  // namespace

Result<void> GraphGrowth::may_attach(PoolId parent, std::span<const NewPool> pools) const {
  if (parent.v >= g_.pool_count() || g_.removed(parent)) {
    return fail(ErrorCode::invalid, "the pool to attach to is not in the machine");
  }
  if (!g_.in_tree(parent) || g_.leaf(parent)) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} has nothing below it in the graph as built", g_.name(parent)));
  }
  if (pools.empty() || pools[0].parent != NewPool::kAttached) {
    return fail(ErrorCode::invalid, "what is attached must be one subtree");
  }
  const std::uint64_t limit = GraphBuilder::Limits{}.pools_max;
  if (pools.size() > limit - g_.pool_count()) {
    return fail(ErrorCode::limit, fmt::format("more than {} pools", limit));
  }
  std::vector<std::uint32_t> depths(pools.size(), g_.depth(parent) + 1), open;
  std::map<TypeId, std::int64_t> units;
  for (std::uint32_t i = 0; i < pools.size(); ++i) {
    const NewPool& p = pools[i];
    while (!open.empty() && open.back() != p.parent) open.pop_back();
    if (i > 0 && open.empty()) {
      return fail(ErrorCode::invalid, "what is attached must be one subtree, in preorder");
    }
    if (i > 0) depths[i] = depths[p.parent] + 1;
    if (depths[i] >= kGraphDepthMax) {
      return fail(ErrorCode::limit, fmt::format("more than {} levels", kGraphDepthMax));
    }
    open.push_back(i);
    if (i > 0 && g_.divisible(pools[p.parent].type)) {
      return fail(ErrorCode::invalid,
                  fmt::format("{} is divisible: nothing can be below such a pool",
                              g_.type_name(pools[p.parent].type)));
    }
    std::int64_t& sum = units.try_emplace(p.type, 0).first->second;
    if (p.size < 0) {
      return fail(ErrorCode::invalid,
                  fmt::format("a pool's size is {}; it must be 0 or more", p.size));
    }
    if (__builtin_add_overflow(sum, p.size, &sum)) {
      return fail(ErrorCode::limit, "the units attached exceed 2^63 - 1");
    }
  }
  for (const auto& [type, sum] : units) {
    std::int64_t all = 0;  // the sums at the root are the largest
    if (__builtin_add_overflow(g_.shape(g_.root()).total(type), sum, &all)) {
      return fail(ErrorCode::limit,
                  fmt::format("the units of type {} exceed 2^63 - 1", g_.type_name(type)));
    }
  }
  return {};
}

void GraphGrowth::begin() {
  if (!g_.changed_) g_.grown_.own().removed.assign(g_.pool_count(), false);
  g_.changed_ = true;
}

void GraphGrowth::add_columns(PoolId parent, std::span<const NewPool> pools) {
  const std::uint32_t first = g_.pool_count();
  for (std::uint32_t i = 0; i < pools.size(); ++i) {
    const NewPool& p = pools[i];
    const PoolId self{first + i};
    g_.types_.push_back(p.type);
    g_.units_.push_back(p.unit);
    g_.basenames_.push_back(p.basename);
    g_.sizes_.push_back(p.size);
    g_.ids_.push_back(p.id);
    g_.ranks_.push_back(p.rank);
    const std::int64_t uniq_id = p.uniq_id >= 0 ? p.uniq_id : g_.next_uniq_id_;
    if (uniq_id != g_.created_count_ && g_.own_uniq_ids_.empty()) {
      g_.own_uniq_ids_ = std::vector<std::int64_t>(g_.created_.begin(), g_.created_.end());
    }
    if (uniq_id != g_.created_count_ || !g_.own_uniq_ids_.empty()) {
      g_.own_uniq_ids_.push_back(uniq_id);
    }
    if (uniq_id < INT64_MAX) g_.next_uniq_id_ = std::max(g_.next_uniq_id_, uniq_id + 1);
    g_.created_.push_back(g_.created_count_++);
    g_.parents_.push_back(i == 0 ? parent.v : first + p.parent);
    g_.ends_.push_back(self.v + 1);
    g_.grown_.own().removed.push_back(false);
    if (p.size > g_.largest(p.type)) {
      g_.largest_.edit([&](auto& largest) {
        largest.resize(std::max(largest.size(), p.type.v + std::size_t{1}), 0);
        largest[p.type.v] = p.size;
      });
      ++g_.largest_version_;
    }
    if (!p.properties.empty()) g_.given_.own().properties.emplace(self.v, p.properties);
    if (!p.name.empty() && p.name != g_.name(self)) g_.own_.own().names.emplace(self.v, p.name);
    if (g_.indexes_->ranks_indexed && p.rank != -1) {
      g_.indexes_.own().by_rank[p.rank].push_back(self);
    }
  }
  g_.ends_.edit([&](auto& ends) {
    for (std::uint32_t v = g_.pool_count() - 1; v > first; --v) {
      ends[g_.parents_[v]] = std::max(ends[g_.parents_[v]], ends[v]);
    }
  });
}

void GraphGrowth::add_interiors(PoolId first, std::span<const NewPool> pools) {
  std::vector<std::vector<PoolId>> lists(pools.size());
  for (std::uint32_t i = 1; i < pools.size(); ++i) {
    lists[pools[i].parent].push_back(PoolId{first.v + i});
  }
  for (std::uint32_t i = 0; i < pools.size(); ++i) {
    g_.interiors_.push_back(g_.interior_count());
    if (lists[i].empty()) continue;
    g_.interior_pools_.push_back(PoolId{first.v + i});
    g_.interior_shapes_.push_back(0);
    g_.child_firsts_.push_back(static_cast<std::uint32_t>(g_.children_.size()));
    g_.child_counts_.push_back(static_cast<std::uint32_t>(lists[i].size()));
    g_.children_.edit([&](auto& all) { all.insert(all.end(), lists[i].begin(), lists[i].end()); });
  }
}

// If a child list has no room left, it moves to the end of the column and gets room.
void GraphGrowth::add_child(PoolId up, PoolId child) {
  const std::uint32_t i = g_.interior(up);
  auto [capacity, first_time] =
      g_.grown_.own().child_capacities.try_emplace(i, g_.child_counts_[i]);
  g_.children_.edit([&](auto& children) {
    if (g_.child_counts_[i] == capacity->second) {
      const auto at = static_cast<std::uint32_t>(children.size());
      capacity->second = std::max<std::uint32_t>(8, 2 * g_.child_counts_[i]);
      children.resize(at + capacity->second, kNoPool);
      std::copy_n(children.begin() + g_.child_firsts_[i], g_.child_counts_[i],
                  children.begin() + at);
      g_.child_firsts_.set(i, at);
    }
    children[g_.child_firsts_[i] + g_.child_counts_[i]] = child;
  });
  g_.child_counts_.set(i, g_.child_counts_[i] + 1);
  if (g_.indexes_->children_by_name.contains(up.v)) {
    g_.indexes_.own().children_by_name[up.v].emplace(g_.hash_of_name(g_.name(child)), child);
  }
}

Result<PoolId> GraphGrowth::attach(PoolId parent, std::span<const NewPool> pools) {
  if (auto ok = may_attach(parent, pools); !ok) return std::unexpected(ok.error());
  begin();
  const PoolId top{g_.pool_count()};
  const std::uint32_t interiors_before = g_.interior_count();
  add_columns(parent, pools);
  add_interiors(top, pools);
  ShapeBuilder maker(g_);
  for (std::uint32_t i = g_.interior_count(); i-- > interiors_before;) {
    // checked before: cannot fail
    if (auto ok = maker.make(i); !ok) return std::unexpected(ok.error());
  }
  add_child(parent, top);

  GraphChange change{GraphChange::Kind::attached, top, parent, {top}, {}};
  std::vector<TypeTotal> more = g_.shape(top).totals;
  ShapeBuilder::total_of(more, g_.type(top)) += g_.size(top);
  for (PoolId up = parent; up != kNoPool; up = g_.parent(up)) {
    ShapeBuilder::edit_own(g_, g_.interior(up), [&](Shape& shape) {
      std::vector<TypeId> before;
      before.reserve(shape.totals.size());
      for (const TypeTotal& t : shape.totals) before.push_back(t.type);
      for (const TypeTotal& t : more) ShapeBuilder::total_of(shape.totals, t.type) += t.total;
      if (before.size() != shape.totals.size()) {
        change.widened.push_back({g_.interior(up), std::move(before)});
      }
      if (up != parent) return;
      const auto below = g_.children(up);
      ShapeBuilder::add_to_runs(g_, below, static_cast<std::uint32_t>(below.size() - 1),
                                shape.runs);
      ShapeBuilder::list_child_types(g_, up, shape);
    });
    g_.grown_.own().attached[up.v].push_back(top);
  }
  g_.grown_.own().changes.push_back(std::move(change));
  return top;
}

void GraphGrowth::drop_child(PoolId up, PoolId child) {
  const std::uint32_t i = g_.interior(up);
  std::uint32_t index = 0;
  g_.children_.edit([&](auto& all) {
    const auto first = all.begin() + g_.child_firsts_[i];
    const auto last = first + g_.child_counts_[i];
    const auto at = std::lower_bound(first, last, child);  // siblings ascend
    index = static_cast<std::uint32_t>(at - first);
    std::copy(at + 1, last, at);
  });
  g_.child_counts_.set(i, g_.child_counts_[i] - 1);
  g_.grown_.own().child_capacities.try_emplace(i, g_.child_counts_[i] + 1);
  ShapeBuilder::edit_own(g_, i, [&](Shape& shape) {
    drop_from_runs(shape.runs, index);
    ShapeBuilder::list_child_types(g_, up, shape);
  });
  if (!g_.indexes_->children_by_name.contains(up.v)) return;
  auto& names = g_.indexes_.own().children_by_name[up.v];
  auto [lo, hi] = names.equal_range(g_.hash_of_name(g_.name(child)));
  auto it = std::find_if(lo, hi, [&](const auto& entry) { return entry.second == child; });
  if (it != hi) names.erase(it);
}

// Removes all that is stored separately for a pool.
void GraphGrowth::forget(PoolId p) {
  auto& grown = g_.grown_.own();
  grown.removed[p.v] = true;
  grown.attached.erase(p.v);
  ++g_.removed_count_;
  g_.sizes_.set(p.v, 0);
  auto& indexes = g_.indexes_.own();
  if (auto it = indexes.by_rank.find(g_.ranks_[p.v]); it != indexes.by_rank.end()) {
    std::erase(it->second, p);
    if (it->second.empty()) indexes.by_rank.erase(it);
  }
  indexes.children_by_name.erase(p.v);
  g_.given_.own().properties.erase(p.v);
  g_.given_.own().tags.erase(p.v);
  auto& own = g_.own_.own();
  own.names.erase(p.v);
  for (auto it = own.paths.lower_bound({p.v, 0}); it != own.paths.end() && it->first.first == p.v;
       it = own.paths.erase(it)) {
    auto [lo, hi] = own.by_path.equal_range(it->second);
    for (auto entry = lo; entry != hi;) {
      entry = entry->second.first == p.v ? own.by_path.erase(entry) : std::next(entry);
    }
  }
}

Result<void> GraphGrowth::may_remove(PoolId top) const {
  if (top.v >= g_.pool_count() || g_.removed(top)) {
    return fail(ErrorCode::invalid, "the pool to remove is not in the machine");
  }
  if (top == g_.root())
    return fail(ErrorCode::invalid, "the root of the machine cannot be removed");
  if (!g_.in_tree(top)) {
    return fail(ErrorCode::unsupported, fmt::format("{} is not in subsystem {}", g_.name(top),
                                                    g_.subsystem_name(g_.dominant_)));
  }
  const bool joined = std::any_of(g_.further_.begin(), g_.further_.end(), [&](const auto& f) {
    auto is_gone = [&](PoolId p) { return g_.below(p, top); };
    return !f.from.empty() && (std::any_of(f.from.begin(), f.from.end(), is_gone) ||
                               std::any_of(f.to.begin(), f.to.end(), is_gone));
  });
  if (joined) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("{}, or what is below it, has edges of a further subsystem", g_.name(top)));
  }
  return {};
}

Result<void> GraphGrowth::remove(PoolId top) {
  if (auto ok = may_remove(top); !ok) return ok;
  std::vector<PoolId> gone;
  g_.preorder(top, [&](PoolId p) {
    gone.push_back(p);
    return true;
  });
  begin();
  std::vector<TypeTotal> less = g_.shape(top).totals;
  less.push_back({g_.type(top), g_.size(top)});
  GraphChange change{GraphChange::Kind::removed, top, g_.parent(top), {top}, {}};
  auto& attached = g_.grown_.own().attached;
  if (auto it = attached.find(top.v); it != attached.end()) {
    change.intervals.insert(change.intervals.end(), it->second.begin(), it->second.end());
  }
  const PoolId up = g_.parent(top);
  drop_child(up, top);
  for (PoolId at = up; at != kNoPool; at = g_.parent(at)) {
    ShapeBuilder::edit_own(g_, g_.interior(at), [&](Shape& shape) {
      for (const TypeTotal& t : less) {
        shape.totals[static_cast<std::size_t>(shape.total_index(t.type))].total -= t.total;
      }
    });
    if (auto it = attached.find(at.v); it != attached.end()) {
      std::erase_if(it->second, [&](PoolId p) { return g_.below(p, top); });
      if (it->second.empty()) attached.erase(it);
    }
  }
  for (PoolId p : gone) forget(p);
  g_.grown_.own().changes.push_back(std::move(change));
  return {};
}

}  // namespace copse
