// SPDX-License-Identifier: Apache-2.0
#include "match/shared/selection_builder.hpp"

#include <algorithm>

#include "base/saturating.hpp"

namespace copse {

void SelectionBuilder::add(const ResourceGraph& graph, PoolId pool, std::uint32_t label,
                           bool exclusive, std::uint32_t count) {
  if (graph.leaf(pool) && label == 0 && !found_.empty() && !graph.divisible(pool)) {
    Entry& last = found_.back();
    const bool alike = last.label == 0 && last.exclusive == exclusive && graph.leaf(last.pool) &&
                       graph.type(last.pool) == graph.type(pool) &&
                       graph.parent(last.pool) == graph.parent(pool);
    if (alike && last.pool.v + last.count == pool.v) {
      last.count += count;
      return;
    }
    if (alike && pool.v + count == last.pool.v) {
      last.pool = pool;
      last.count += count;
      return;
    }
  }
  found_.push_back({pool, count, label, exclusive});
}

// Lists p; true if it is taken whole, so that nothing below it is listed.
bool SelectionBuilder::enter(const Into& into, PoolId p, bool exclusive, std::uint32_t count) {
  if (by_ways_ && !on_a_way(p)) {  // the state knows it, to count units that others may take
    into.out.taken.push_back({.first = p, .hidden = true});
    open_.push_back({p, false});
    return false;
  }
  const bool whole = into.request.takes_whole(into.graph.type(p));
  if (into.graph.leaf(p)) {
    into.out.taken.push_back({p, count, exclusive || whole, whole});
    return false;
  }
  into.out.taken.push_back({p, 1, exclusive || whole, whole});
  open_.push_back({p, exclusive || whole});
  return whole;
}

bool SelectionBuilder::on_a_way(PoolId p) const {
  return std::binary_search(ways_.begin(), ways_.end(), p);
}

// Finds the pools on the walked paths to exclusively taken pools, and adds them to the picked ones.
void SelectionBuilder::add_ways(const Into& into, const Moved& moved) {
  for (const Entry& f : found_) {
    bool exclusive = f.exclusive;
    if (into.graph.leaf(f.pool) && exclusive) {
      for (std::uint32_t v = 0; v < f.count; ++v) ways_.push_back(PoolId{f.pool.v + v});
    }
    for (PoolId p = f.pool; p != kNoPool;) {
      exclusive = exclusive || into.request.takes_whole(into.graph.type(p));
      if (exclusive) ways_.push_back(p);
      const auto way =
          std::lower_bound(moved.begin(), moved.end(), p,
                           [](const auto& entry, PoolId pool) { return entry.first < pool; });
      p = way != moved.end() && way->first == p ? way->second : into.graph.parent(p);
    }
  }
  std::sort(ways_.begin(), ways_.end());
  ways_.erase(std::unique(ways_.begin(), ways_.end()), ways_.end());
  std::sort(found_.begin(), found_.end(),
            [](const Entry& a, const Entry& b) { return a.pool < b.pool; });
  const std::size_t picked = found_.size();
  std::size_t at = 0;
  for (const PoolId p : ways_) {
    while (at < picked && found_[at].pool.v + found_[at].count <= p.v) ++at;
    if (at == picked || p < found_[at].pool) found_.push_back({p, 1, 0, false});
  }
}

// Divisible pools that are listed without an amount are taken with all their units.
void SelectionBuilder::sum_amounts(const Into& into) {
  std::ranges::sort(amounts_, {}, &PoolAmount::pool);
  for (const SelectedPools& t : into.out.taken) {
    if (!t.exclusive || !into.graph.divisible(t.first)) continue;
    const std::int64_t size = into.graph.size(t.first);
    std::int64_t units = 0;
    auto at = std::ranges::lower_bound(amounts_, t.first, {}, &PoolAmount::pool);
    for (; at != amounts_.end() && at->pool == t.first; ++at) {
      units = std::min(size, saturating_sum(units, at->units));
    }
    into.out.amounts.push_back({t.first, units > 0 ? units : size});
  }
}

namespace {

// Several slots may have a part of one divisible pool: each of their labels is listed once.
void add_label(Selection& out, PoolId pool, const std::string& label) {
  for (auto at = out.labels.rbegin(); at != out.labels.rend() && at->first == pool; ++at) {
    if (at->second == label) return;
  }
  out.labels.emplace_back(pool, label);
}

}  // namespace

void SelectionBuilder::finish(const ResourceGraph& graph, const CompiledRequest& request,
                              Selection& out, const Moved& moved) {
  const Into into{graph, request, out};
  open_.clear();
  ways_.clear();
  by_ways_ = !moved.empty();
  if (by_ways_) add_ways(into, moved);
  auto by_pool = [&](const Entry& a, const Entry& b) { return graph.before(a.pool, b.pool); };
  if (!std::is_sorted(found_.begin(), found_.end(), by_pool)) {
    std::sort(found_.begin(), found_.end(), by_pool);
  }

  PoolId whole_pool = kNoPool;  // taken whole: pools below it are not listed
  PoolId way[1024];             // the depth of a graph is bounded by its builder
  for (const Entry& f : found_) {
    if (f.label != 0) add_label(out, f.pool, request.labels[f.label]);
    if (whole_pool != kNoPool && graph.below(f.pool, whole_pool)) continue;
    const bool again = !out.taken.empty() && out.taken.back().first == f.pool;
    if (again && graph.divisible(f.pool)) {  // for another slot
      out.taken.back().exclusive |= f.exclusive;
      continue;
    }
    while (!open_.empty() && !graph.below(f.pool, open_.back().pool)) open_.pop_back();
    const PoolId known = open_.empty() ? kNoPool : open_.back().pool;
    std::size_t n = 0;
    for (PoolId up = graph.parent(f.pool); up != known; up = graph.parent(up)) way[n++] = up;
    bool whole = false;
    // Pools on the path: shared, or exclusive if below an exclusive pool.
    while (n > 0 && !whole) {
      whole = enter(into, way[--n], !open_.empty() && open_.back().exclusive, 1);
    }
    if (!whole) whole = enter(into, f.pool, f.exclusive, f.count);
    if (whole) whole_pool = open_.back().pool;
  }

  // A pool that is neither exclusive nor on the path to an exclusive one is not taken.
  PoolId next_kept = kNoPool;
  for (std::size_t i = out.taken.size(); i-- > 0;) {
    SelectedPools& t = out.taken[i];
    if (t.exclusive || (by_ways_ && on_a_way(t.first)) ||
        (next_kept != kNoPool && graph.below(next_kept, t.first))) {
      next_kept = t.first;
    } else {
      t.count = 0;
    }
  }
  std::erase_if(out.taken, [](const SelectedPools& t) { return t.count == 0; });
  for (const auto& entry : moved) {
    const auto it = std::lower_bound(out.taken.begin(), out.taken.end(), entry.first,
                                     [](const SelectedPools& t, PoolId p) { return t.first < p; });
    const bool listed = it != out.taken.end() && it->first == entry.first && !it->hidden;
    if (listed) out.moved.push_back(entry);
  }
  if (graph.any_divisible()) sum_amounts(into);
}

}  // namespace copse
