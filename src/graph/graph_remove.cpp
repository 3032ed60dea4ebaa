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
  const auto first = children_.begin() + child_firsts_[i];
  const auto last = first + child_counts_[i];
  const auto at = std::lower_bound(first, last, child);  // siblings ascend
  const auto index = static_cast<std::uint32_t>(at - first);
  std::copy(at + 1, last, at);
  --child_counts_[i];
  child_capacities_.try_emplace(i, child_counts_[i] + 1);
  Shape& shape = own_shape(i);
  drop_from_runs(shape.runs, index);
  ShapeMaker::list_child_types(*this, up, shape);
  if (auto names = children_by_name_.find(up.v); names != children_by_name_.end()) {
    auto [lo, hi] = names->second.equal_range(hash_of_name(name(child)));
    auto it = std::find_if(lo, hi, [&](const auto& entry) { return entry.second == child; });
    if (it != hi) names->second.erase(it);
  }
}

// All that is kept aside for a pool.
void ResourceGraph::forget(PoolId p) {
  removed_[p.v] = true;
  ++removed_count_;
  sizes_[p.v] = 0;
  if (auto it = by_rank_.find(ranks_[p.v]); it != by_rank_.end()) {
    std::erase(it->second, p);
    if (it->second.empty()) by_rank_.erase(it);
  }
  children_by_name_.erase(p.v);
  attached_.erase(p.v);
  properties_.erase(p.v);
  tags_.erase(p.v);
  own_names_.erase(p.v);
  if (own_paths_.empty()) return;
  for (auto it = own_paths_.lower_bound({p.v, 0}); it != own_paths_.end() && it->first.first == p.v;
       it = own_paths_.erase(it)) {
    auto [lo, hi] = by_own_path_.equal_range(it->second);
    for (auto entry = lo; entry != hi;) {
      entry = entry->second.first == p.v ? by_own_path_.erase(entry) : std::next(entry);
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
  if (auto may = may_remove(top); !may) return may;
  std::vector<PoolId> gone;
  preorder(top, [&](PoolId p) {
    gone.push_back(p);
    return true;
  });
  if (!changed_) removed_.assign(pool_count(), false);
  changed_ = true;
  std::vector<TypeTotal> less = shape(top).totals;
  less.push_back({type(top), size(top)});
  GraphChange change{GraphChange::Kind::removed, top, parent(top), {top}, {}};
  if (auto it = attached_.find(top.v); it != attached_.end()) {
    change.intervals.insert(change.intervals.end(), it->second.begin(), it->second.end());
  }
  const PoolId up = parent(top);
  drop_child(up, top);
  for (PoolId at = up; at != kNoPool; at = parent(at)) {
    Shape& shape = own_shape(interior(at));
    for (const TypeTotal& t : less) {
      shape.totals[static_cast<std::size_t>(shape.total_index(t.type))].total -= t.total;
    }
    if (auto it = attached_.find(at.v); it != attached_.end()) {
      std::erase_if(it->second, [&](PoolId p) { return below(p, top); });
      if (it->second.empty()) attached_.erase(it);
    }
  }
  for (PoolId p : gone) forget(p);
  changes_.push_back(std::move(change));
  return {};
}

}  // namespace copse
