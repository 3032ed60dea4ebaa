// SPDX-License-Identifier: Apache-2.0
#include "copse/selection.hpp"

#include <algorithm>

namespace copse {

namespace {

// The same for selections with pools that were reached by other paths than the tree: from the root
// down, along the edges that were taken. O(children of the pools shown · log pools shown).
void expand_moved(const ResourceGraph& graph, const Selection& selection,
                  std::vector<ExpandedPool>& out) {
  std::vector<std::pair<PoolId, bool>> shown;  // exclusive?
  for (const SelectedPools& t : selection.taken) {
    if (t.hidden) continue;
    if (t.whole && !graph.leaf(t.first)) {
      graph.preorder(t.first, [&](PoolId p) {
        shown.emplace_back(p, true);
        return true;
      });
      continue;
    }
    for (std::uint32_t v = t.first.v; v < t.first.v + t.count; ++v) {
      shown.emplace_back(PoolId{v}, t.exclusive);
    }
  }
  std::sort(shown.begin(), shown.end());
  auto find = [](const auto& list, PoolId p) {
    const auto it = std::lower_bound(list.begin(), list.end(), p,
                                     [](const auto& entry, PoolId q) { return entry.first < q; });
    return it != list.end() && it->first == p ? &*it : nullptr;
  };
  struct Open {
    ExpandedPool pool;
    std::size_t first, next;  // its children are pending[first …], up to those of the next one open
  };
  std::vector<Open> open;
  std::vector<PoolId> pending;
  auto enter = [&](const ExpandedPool& e) {
    open.push_back({e, pending.size(), pending.size()});
    graph.append_children(e.pool, pending);
  };
  if (!shown.empty()) enter({graph.root(), 0, shown.front().second, false});
  while (!open.empty()) {
    Open& top = open.back();
    if (top.next == pending.size()) {
      out.push_back(top.pool);
      pending.resize(top.first);
      open.pop_back();
      continue;
    }
    const PoolId child = pending[top.next++];
    const auto* entry = find(shown, child);
    if (entry == nullptr) continue;
    const auto* way = find(selection.moved, child);
    const PoolId parent = way != nullptr ? way->second : graph.parent(child);
    if (parent != top.pool.pool) continue;
    enter({child, top.pool.depth + 1, entry->second, top.pool.exclusive,
           way != nullptr ? parent : kNoPool});
  }
}

// Sets the units of divisible pools.
void add_amounts(const Selection& selection, std::vector<ExpandedPool>& out) {
  std::vector<PoolAmount> sorted = selection.amounts;
  std::ranges::sort(sorted, {}, &PoolAmount::pool);
  for (ExpandedPool& e : out) {
    const auto at = std::ranges::lower_bound(sorted, e.pool, {}, &PoolAmount::pool);
    if (at != sorted.end() && at->pool == e.pool) e.units = at->units;
  }
}

void expand_all(const ResourceGraph& graph, const Selection& selection,
                std::vector<ExpandedPool>& out) {
  out.clear();
  if (!selection.moved.empty()) return expand_moved(graph, selection, out);
  std::vector<ExpandedPool> open;
  auto enter = [&](PoolId p, bool exclusive) {
    while (!open.empty() && !graph.below(p, open.back().pool)) {
      out.push_back(open.back());
      open.pop_back();
    }
    const ExpandedPool e{p, static_cast<std::uint32_t>(open.size()), exclusive,
                         !open.empty() && open.back().exclusive};
    (graph.leaf(p) ? out : open).push_back(e);
  };
  for (const SelectedPools& t : selection.taken) {
    if (t.whole && !graph.leaf(t.first)) {
      graph.preorder(t.first, [&](PoolId p) {
        enter(p, true);
        return true;
      });
      continue;
    }
    for (std::uint32_t v = t.first.v; v < t.first.v + t.count; ++v) enter(PoolId{v}, t.exclusive);
  }
  out.insert(out.end(), open.rbegin(), open.rend());
}

}  // namespace

void expand(const ResourceGraph& graph, const Selection& selection,
            std::vector<ExpandedPool>& out) {
  expand_all(graph, selection, out);
  if (!selection.amounts.empty()) add_amounts(selection, out);
}

}  // namespace copse
