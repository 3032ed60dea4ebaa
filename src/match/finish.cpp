// SPDX-License-Identifier: Apache-2.0
//
// From what was chosen to a selection: in preorder, with the pools on the way.
#include <algorithm>

#include "match/matcher.hpp"

namespace copse {

// Neighbouring leaves of one parent and type become one entry, in either direction.
void Matcher::add_found(const Item& item) {
  const bool leaf = graph_.leaf(item.pool);
  if (leaf && item.label == 0 && !found_.empty()) {
    Found& last = found_.back();
    const bool alike = last.label == 0 && last.exclusive == item.exclusive &&
                       graph_.leaf(last.pool) && graph_.type(last.pool) == graph_.type(item.pool) &&
                       graph_.parent(last.pool) == graph_.parent(item.pool);
    if (alike && last.pool.v + last.count == item.pool.v) {
      ++last.count;
      return;
    }
    if (alike && item.pool.v + 1 == last.pool.v) {
      last.pool = item.pool;
      ++last.count;
      return;
    }
  }
  found_.push_back({item.pool, 1, item.label, item.exclusive});
}

// Depth is bounded by that of the request.
void Matcher::collect(const Item& item) {
  add_found(item);
  for (std::uint32_t i = item.first; i < item.first + item.count; ++i) collect(chosen_[i]);
}

bool Matcher::taken_whole(PoolId p) const {
  const auto& types = request_->exclusive_types;
  return !types.empty() && std::find(types.begin(), types.end(), graph_.type(p)) != types.end();
}

// Lists p; true if it is taken whole, so that nothing below it is listed.
bool Matcher::enter(PoolId p, bool exclusive, std::uint32_t count, Selection& out) {
  const bool whole = taken_whole(p);
  if (graph_.leaf(p)) {
    out.taken.push_back({p, count, exclusive || whole, false});
    return false;
  }
  out.taken.push_back({p, 1, exclusive || whole, whole});
  open_pools_.push_back({p, graph_.end(p).v, exclusive || whole});
  return whole;
}

void Matcher::finish(Selection& out) {
  found_.clear();
  open_pools_.clear();
  const Item top = items_.front();
  for (std::uint32_t i = top.first; i < top.first + top.count; ++i) collect(chosen_[i]);
  auto by_pool = [](const Found& a, const Found& b) { return a.pool < b.pool; };
  if (!std::is_sorted(found_.begin(), found_.end(), by_pool)) {
    std::sort(found_.begin(), found_.end(), by_pool);
  }

  std::uint32_t whole_until = 0;  // below a pool that is taken whole
  PoolId way[1024];               // the depth of a graph is bounded by its builder
  for (const Found& f : found_) {
    if (f.label != 0) out.labels.emplace_back(f.pool, request_->labels[f.label]);
    if (f.pool.v < whole_until) continue;
    while (!open_pools_.empty() && open_pools_.back().end <= f.pool.v) open_pools_.pop_back();
    const PoolId known = open_pools_.empty() ? kNoPool : open_pools_.back().pool;
    std::size_t n = 0;
    for (PoolId up = graph_.parent(f.pool); up != known; up = graph_.parent(up)) way[n++] = up;
    bool whole = false;
    while (n > 0 &&
           !whole) {  // pools on the way: shared, but below an exclusive pool exclusive too
      whole = enter(way[--n], !open_pools_.empty() && open_pools_.back().exclusive, 1, out);
    }
    if (!whole) whole = enter(f.pool, f.exclusive, f.count, out);
    if (whole) whole_until = open_pools_.back().end;
  }

  // What is neither exclusive nor on the way to something exclusive is not taken at all.
  std::uint32_t next_kept = kNoPool.v;
  for (std::size_t i = out.taken.size(); i-- > 0;) {
    Taken& t = out.taken[i];
    if (t.exclusive || next_kept < graph_.end(t.first).v) {
      next_kept = t.first.v;
    } else {
      t.count = 0;
    }
  }
  std::erase_if(out.taken, [](const Taken& t) { return t.count == 0; });
}

}  // namespace copse
