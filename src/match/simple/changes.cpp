// SPDX-License-Identifier: Apache-2.0
//
// What a matcher keeps about the machine, when the machine grows.
#include <algorithm>

#include "match/simple/matcher.hpp"

namespace copse {

void Matcher::note_layouts(PoolId top, PoolId parent) {
  auto note = [&](PoolId p) {
    const Layout layout{graph_.type(p), graph_.shape_id(graph_.interior(p))};
    auto it = std::lower_bound(layouts_.begin(), layouts_.end(), layout);
    if (it == layouts_.end() || *it != layout) layouts_.insert(it, layout);
  };
  graph_.preorder(top, [&](PoolId p) {
    if (!graph_.leaf(p)) note(p);
    return true;
  });
  for (PoolId up = parent; up != kNoPool; up = graph_.parent(up)) note(up);
}

// Puts sorted pools into sorted pools, which are moved once.
template <class Before>
static void insert_all(std::vector<PoolId>& pools, std::span<const PoolId> came, Before before) {
  auto end = static_cast<std::ptrdiff_t>(pools.size());  // those before it are where they were
  pools.resize(pools.size() + came.size());
  for (std::size_t left = came.size(); left > 0; --left) {
    const PoolId p = came[left - 1];
    const auto at = std::upper_bound(pools.begin(), pools.begin() + end, p, before) - pools.begin();
    std::move_backward(pools.begin() + at, pools.begin() + end,
                       pools.begin() + end + static_cast<std::ptrdiff_t>(left));
    pools[static_cast<std::size_t>(at) + left - 1] = p;
    end = at;
  }
}

// Adds what a new subtree has for a place of the top level; false if the frontier must be made
// anew.
bool Matcher::add_to_frontier(const std::vector<std::uint32_t>& key, Frontier& places, PoolId top) {
  const std::span<const std::uint32_t> types(key.data(), key.size() - 1);
  const TypeId type{static_cast<std::uint16_t>(key.back())};
  auto wanted = [&](PoolId p) {
    return std::find(types.begin(), types.end(), graph_.type(p).v) != types.end();
  };
  for (PoolId up = graph_.parent(top); up != kNoPool; up = graph_.parent(up)) {
    if (wanted(up)) return true;  // what is below it does not count
  }
  auto before = [&](PoolId a, PoolId b) {
    const Score of_a = policy_.by_runs ? 0 : top_score(a),
                of_b = policy_.by_runs ? 0 : top_score(b);
    return of_a != of_b ? scores_.better(of_a, of_b) : graph_.before(a, b);
  };
  bool good = true;
  std::vector<PoolId> came;
  graph_.preorder(top, [&](PoolId p) {
    if (!wanted(p)) return true;
    if (graph_.type(p) != type) return false;
    if (places.list == nullptr) {
      came.push_back(p);
    } else if (graph_.leaf(p) ||
               (places.one_parent != kNoPool && places.one_parent != graph_.parent(p))) {
      good = false;
    } else if (places.one_parent == kNoPool) {
      state_.add_to_list(*places.list, p, [&](PoolId a) { return before(a, p); });
    }  // else the list of the children has it already
    return false;
  });
  std::stable_sort(came.begin(), came.end(), before);
  insert_all(places.pools, came, before);
  return good;
}

void Matcher::attached(const GraphChange& change) {
  scores_.attached(change.parent);
  exploration_.attached(change.top);
  note_layouts(change.top, change.parent);
  const PoolId top = change.top;
  const std::uint64_t key = (std::uint64_t{change.parent.v} << 16) | graph_.type(top).v;
  if (auto it = child_lists_.find(key); it != child_lists_.end() && !graph_.leaf(top)) {
    state_.add_to_list(*it->second, top,
                       [&](PoolId a) { return !scores_.better(scores_.own(top), scores_.own(a)); });
  }
  for (auto it = frontiers_.begin(); it != frontiers_.end();) {
    it = add_to_frontier(it->first, it->second, top) ? std::next(it) : frontiers_.erase(it);
  }
}

}  // namespace copse
