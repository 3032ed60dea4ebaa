// SPDX-License-Identifier: Apache-2.0
//
// How a graph shrinks: what is removed keeps its numbers and has size 0, so that nobody takes it
// who still knows of it.
#include <algorithm>

#include <fmt/format.h>

#include "copse/graph.hpp"
#include "graph/graph_shapes.hpp"

namespace copse {

// A leaf run stands for consecutive numbers: where one goes from its middle, it becomes two.
static void drop_from_runs(std::vector<ChildRun>& runs, std::uint32_t c) {
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

void ResourceGraph::drop_child(PoolId up, PoolId child) {
  const std::uint32_t i = interior(up);
  std::uint32_t index = 0;
  children_.edit([&](auto& all) {
    const auto first = all.begin() + child_firsts_[i];
    const auto last = first + child_counts_[i];
    const auto at = std::lower_bound(first, last, child);  // siblings ascend
    index = static_cast<std::uint32_t>(at - first);
    std::copy(at + 1, last, at);
  });
  child_counts_.set(i, child_counts_[i] - 1);
  grown_.own().child_capacities.try_emplace(i, child_counts_[i] + 1);
  edit_own_shape(i, [&](Shape& shape) {
    drop_from_runs(shape.runs, index);
    ShapeMaker::list_child_types(*this, up, shape);
  });
  if (!indexes_->children_by_name.contains(up.v)) return;
  ByName& names = indexes_.own().children_by_name[up.v];
  auto [lo, hi] = names.equal_range(hash_of_name(name(child)));
  auto it = std::find_if(lo, hi, [&](const auto& entry) { return entry.second == child; });
  if (it != hi) names.erase(it);
}

// All that is kept aside for a pool.
void ResourceGraph::forget(PoolId p) {
  Grown& grown = grown_.own();
  grown.removed[p.v] = true;
  grown.attached.erase(p.v);
  ++removed_count_;
  sizes_.set(p.v, 0);
  Indexes& indexes = indexes_.own();
  if (auto it = indexes.by_rank.find(ranks_[p.v]); it != indexes.by_rank.end()) {
    std::erase(it->second, p);
    if (it->second.empty()) indexes.by_rank.erase(it);
  }
  indexes.children_by_name.erase(p.v);
  given_.own().properties.erase(p.v);
  given_.own().tags.erase(p.v);
  Own& own = own_.own();
  own.names.erase(p.v);
  for (auto it = own.paths.lower_bound({p.v, 0}); it != own.paths.end() && it->first.first == p.v;
       it = own.paths.erase(it)) {
    auto [lo, hi] = own.by_path.equal_range(it->second);
    for (auto entry = lo; entry != hi;) {
      entry = entry->second.first == p.v ? own.by_path.erase(entry) : std::next(entry);
    }
  }
}

Result<void> ResourceGraph::may_remove(PoolId top) const {
  if (top.v >= pool_count() || removed(top)) {
    return fail(ErrorCode::invalid, "the pool to remove is not in the machine");
  }
  if (top == root()) return fail(ErrorCode::invalid, "the root of the machine cannot be removed");
  if (!in_tree(top)) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} is not in subsystem {}", name(top), subsystem_name(dominant_)));
  }
  const bool joined = std::any_of(further_.begin(), further_.end(), [&](const FurtherEdges& f) {
    auto is_gone = [&](PoolId p) { return below(p, top); };
    return !f.from.empty() && (std::any_of(f.from.begin(), f.from.end(), is_gone) ||
                               std::any_of(f.to.begin(), f.to.end(), is_gone));
  });
  if (joined) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("{}, or what is below it, has edges of a further subsystem", name(top)));
  }
  return {};
}

Result<void> ResourceGraph::remove(PoolId top) {
  if (auto ok = may_remove(top); !ok) return ok;
  std::vector<PoolId> gone;
  preorder(top, [&](PoolId p) {
    gone.push_back(p);
    return true;
  });
  if (!changed_) grown_.own().removed.assign(pool_count(), false);
  changed_ = true;
  std::vector<TypeTotal> less = shape(top).totals;
  less.push_back({type(top), size(top)});
  GraphChange change{GraphChange::Kind::removed, top, parent(top), {top}, {}};
  auto& attached = grown_.own().attached;
  if (auto it = attached.find(top.v); it != attached.end()) {
    change.intervals.insert(change.intervals.end(), it->second.begin(), it->second.end());
  }
  const PoolId up = parent(top);
  drop_child(up, top);
  for (PoolId at = up; at != kNoPool; at = parent(at)) {
    edit_own_shape(interior(at), [&](Shape& shape) {
      for (const TypeTotal& t : less) {
        shape.totals[static_cast<std::size_t>(shape.total_index(t.type))].total -= t.total;
      }
    });
    if (auto it = attached.find(at.v); it != attached.end()) {
      std::erase_if(it->second, [&](PoolId p) { return below(p, top); });
      if (it->second.empty()) attached.erase(it);
    }
  }
  for (PoolId p : gone) forget(p);
  grown_.own().changes.push_back(std::move(change));
  return {};
}

}  // namespace copse
