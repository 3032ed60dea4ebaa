// SPDX-License-Identifier: Apache-2.0
//
// The top level: levels above it may be left out of a request, so its pools are looked for
// anywhere.
#include <algorithm>
#include <queue>
#include <set>

#include "match/shared/run_order.hpp"
#include "match/simple/matcher.hpp"

namespace copse {

Matcher::Matcher(const ResourceGraph& graph, State& state, const Policy& policy,
                 const PruneFilters& filters, bool exhaustive)
    : graph_(graph),
      state_(state),
      policy_(policy),
      scores_(graph, policy_),
      exploration_(graph, state, filters),
      exhaustive_(exhaustive),
      ways_(graph),
      probe_{graph, state, scores_, graph.find_type("node"), ways_.any() ? &ways_ : nullptr},
      boards_(probe_, state, policy_, exploration_),
      properties_version_(graph.properties_version()) {
  std::set<Layout> layouts;
  for (std::uint32_t i = 0; i < graph.interior_count(); ++i) {
    layouts.insert({graph.type(graph.interior_pool(i)), graph.shape_id(i)});
  }
  layouts_.assign(layouts.begin(), layouts.end());
}

Matcher::Matcher(const ResourceGraph& graph, State& state, const PruneFilters& filters,
                 const Matcher& other)
    : graph_(graph),
      state_(state),
      policy_(other.policy_),
      scores_(graph, policy_, other.scores_),
      exploration_(graph, state, filters, other.exploration_),
      exhaustive_(other.exhaustive_),
      ways_(graph),
      probe_{graph, state, scores_, other.probe_.node, ways_.any() ? &ways_ : nullptr},
      boards_(probe_, state, policy_, exploration_),
      layouts_(other.layouts_),
      properties_version_(other.properties_version_) {}

// A policy's scores may read properties: orders made from them are made again when those change.
void Matcher::forget_orders() {
  if (policy_.score == nullptr || properties_version_ == graph_.properties_version()) return;
  properties_version_ = graph_.properties_version();
  scores_.update();
  child_lists_.clear();
  frontiers_.clear();
  exploration_.forget_lists();
  state_.drop_lists();
}

// Depth is bounded by that of the request.
void Matcher::collect(const Item& item) {
  const Level& level = probe_.request->levels[item.level];
  picked_.add(graph_, item.pool, level.label, item.exclusive, item.more + 1);
  if (!level.draws.empty()) drawn_.push_back({item.pool, item.level, level.draws});
  for (std::uint32_t i = item.first; i < item.first + item.count; ++i) collect(chosen_[i]);
}

bool Matcher::select(const CompiledRequest& request, View view, std::int64_t start,
                     std::int64_t end, Selection& out) {
  out.clear();
  forget_orders();
  probe_.view = view;
  probe_.start = start;
  probe_.end = end;
  visits_ = 0;
  remarks_.clear();
  if (request.variants.empty()) return select_one(request, out);
  return std::any_of(
      request.variants.begin(), request.variants.end(), [&](const CompiledRequest& variant) {
        return variant.impossible.empty() && some_shape_has(variant) && select_one(variant, out);
      });
}

bool Matcher::may_select(const CompiledRequest& request) {
  if (!graph_.has_further_edges()) return false;
  auto may = [&](const CompiledRequest& one) {
    probe_.request = &one;
    return boards_.may_select();
  };
  if (request.variants.empty()) return may(request);
  return std::any_of(
      request.variants.begin(), request.variants.end(),
      [&](const CompiledRequest& variant) { return variant.impossible.empty() && may(variant); });
}

bool Matcher::select_one(const CompiledRequest& request, Selection& out) {
  probe_.request = &request;
  drawn_.clear();
  if (exhaustive_ || request.alternatives || graph_.has_further_edges()) {
    const bool found = boards_.select(out);
    visits_ += boards_.visits();
    for (const std::string& remark : boards_.remarks()) remarks_.push_back(remark);
    if (found) drawn_ = boards_.drawn();
    return found;
  }
  groups_.clear();
  items_.clear();
  chosen_.clear();
  shares_.clear();
  pools_.clear();
  needs_.clear();
  explored_.clear();
  if (!probe_.open(graph_.root())) return false;
  if (!choose_top()) return false;
  picked_.clear();
  const Item all = items_.front();
  for (std::uint32_t i = all.first; i < all.first + all.count; ++i) collect(chosen_[i]);
  picked_.finish(probe_, out);
  return true;
}

bool Matcher::some_shape_has(const CompiledRequest& request) const {
  if (!request.variants.empty()) return true;   // each is asked about when it is tried
  if (graph_.has_further_edges()) return true;  // shapes have what is below in the tree
  for (const Level& level : request.levels) {
    if (level.needs.empty() || level.alternative) continue;
    const bool some = std::any_of(layouts_.begin(), layouts_.end(), [&](const Layout& layout) {
      const Shape& shape = graph_.shapes()[layout.shape];
      if (!level.slot && layout.type != level.type) return false;
      for (std::uint32_t c = level.first; level.slot && c < level.first + level.children; ++c) {
        if (!shape.has_child(request.levels[c].type)) return false;
      }
      return std::all_of(level.needs.begin(), level.needs.end(),
                         [&](const Need& need) { return need.units <= shape.total(need.type); });
    });
    if (!some) return false;
  }
  return true;
}

bool Matcher::choose_top() {
  const std::uint32_t top = probe_.request->top;
  if (policy_.first_found) {
    explore_pool(graph_.root(), 0, top, false, 0);
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const Group& a, const Group& b) { return a.want < b.want; });
  }
  std::size_t first = 0;
  const std::size_t bounds = shares_.size();
  for (std::uint32_t n = 0; n < top; ++n) {
    if (policy_.first_found) {
      std::size_t last = first;
      while (last < groups_.size() && groups_[last].want == n) ++last;
      sort_groups(first, last);
      shares_.push_back(last);
    } else {
      if (probe_.request->levels[n].slot) {
        gather_top_slots(n);
      } else {
        gather_top(n);
      }
      if (policy_.by_runs) {
        sort_by_runs(groups_.begin() + static_cast<std::ptrdiff_t>(first), groups_.end(),
                     [](const Group& g) { return g.score; });
      }
      shares_.push_back(groups_.size());
    }
    first = shares_.back();
  }
  // Items of the top level go behind all others in chosen_; finish() begins there.
  const auto own = static_cast<std::uint32_t>(chosen_.size());
  first = 0;
  for (std::uint32_t n = 0; n < top; ++n) {
    const std::size_t last = shares_[bounds + n];
    if (!choose(n, first, last)) return false;
    first = last;
  }
  items_.clear();
  items_.push_back(
      {graph_.root(), own, static_cast<std::uint32_t>(chosen_.size()) - own, 0, false});
  return true;
}

// The term of the node that u lies strictly below, if any.
Score Matcher::enclosing_term(PoolId u) const {
  if (!scores_.node_centric()) return 0;
  for (PoolId up = graph_.parent(u); up != kNoPool; up = graph_.parent(up)) {
    if (graph_.type(up) == probe_.node) return scores_.below_node(up);
  }
  return 0;
}

// Pools of a top-level type that no other pool of the top level's types is above.
const Matcher::Frontier& Matcher::frontier(std::uint32_t level_number) {
  const Level& level = probe_.request->levels[level_number];
  std::vector<std::uint32_t> key;
  key.reserve(probe_.request->top + 1);
  for (std::uint32_t n = 0; n < probe_.request->top; ++n)
    key.push_back(probe_.request->levels[n].type.v);
  std::sort(key.begin(), key.end());
  const std::vector<std::uint32_t> types = key;
  key.push_back(level.type.v);
  auto it = frontiers_.find(key);
  if (it != frontiers_.end()) return it->second;

  Frontier made;
  bool interior = true, one_parent = true;
  graph_.preorder(graph_.root(), [&](PoolId p) {
    const bool wanted = std::binary_search(types.begin(), types.end(), graph_.type(p).v);
    if (wanted && graph_.type(p) == level.type) {
      interior &= !graph_.leaf(p);
      one_parent &= made.pools.empty() || graph_.parent(p) == graph_.parent(made.pools[0]);
      made.pools.push_back(p);
    }
    return !wanted && !graph_.leaf(p) && graph_.shape(p).total(level.type) > 0;
  });
  const bool listed = interior && made.pools.size() > Exploration::kFew;
  if (listed && one_parent && !policy_.by_runs && !scores_.node_centric()) {
    made.one_parent = graph_.parent(made.pools[0]);
    made.list = &child_list(made.one_parent, level.type);
  } else {
    if (!policy_.by_runs) {
      std::stable_sort(made.pools.begin(), made.pools.end(), [&](PoolId a, PoolId b) {
        return scores_.better(top_score(a), top_score(b));
      });
    }
    if (listed) made.list = &state_.add_list(made.pools);
  }
  if (made.list != nullptr) made.pools = {};
  return frontiers_.emplace(std::move(key), std::move(made)).first->second;
}

void Matcher::gather_top(std::uint32_t level_number) {
  const Level& level = probe_.request->levels[level_number];
  const Frontier& places = frontier(level_number);
  Shares shares{policy_.by_runs ? INT64_MAX : level.most, 1};
  if (places.list != nullptr) {
    gather_list(*places.list, level_number, false, 0, shares, graph_.root());
    return;
  }
  for (PoolId p : places.pools) {
    if (!probe_.path_open(p, graph_.root())) continue;
    if (gather_one(p, level_number, false, enclosing_term(p), shares)) break;
  }
}

// The best score that a slot formed at u can have, on an empty machine.
Score Matcher::slot_bound(PoolId u, const Level& slot) const {
  const Score term = probe_.term_below(u, enclosing_term(u));
  const Score unbounded = policy_.prefer_high ? INT64_MAX : INT64_MIN;
  Score bound = 1;
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    const Level& level = probe_.request->levels[c];
    Score best = 0;
    std::int64_t children = 0, largest = 0;
    for (PoolId v : graph_.children(u)) {
      if (graph_.type(v) != level.type || graph_.size(v) <= 0) continue;
      const Score score = scores_.own(v) + term;
      if (score <= 0) continue;
      if (children++ == 0 || scores_.better(score, best)) best = score;
      largest = std::max(largest, graph_.size(v));
    }
    if (children == 0) return policy_.prefer_high ? INT64_MIN : INT64_MAX;  // no slot here
    // At least so many groups make a share, and at most so many.
    const std::int64_t fewest =
        std::max<std::int64_t>(1, (level.count.min + largest - 1) / largest);
    const std::int64_t groups = policy_.prefer_high ? std::min(children, level.most) : fewest;
    Score part = 0;
    if (__builtin_mul_overflow(groups, best, &part) ||
        __builtin_add_overflow(bound, part, &bound)) {
      return unbounded;
    }
  }
  return bound;
}

const std::vector<CompiledRequest::SlotPlace>& Matcher::slot_places(std::uint32_t slot_number) {
  auto& places = probe_.request->slot_places;
  const Level& slot = probe_.request->levels[slot_number];
  const auto changes = graph_.changes().subspan(places ? probe_.request->slot_places_seen : 0);
  probe_.request->slot_places_seen = graph_.changes().size();
  auto before = [&](const auto& a, const auto& b) {
    return a.bound != b.bound ? scores_.better(a.bound, b.bound) : graph_.before(a.pool, b.pool);
  };
  auto add_below = [&](PoolId top, auto add) {
    graph_.preorder(top, [&](PoolId p) {
      const bool here = probe_.resolves(p, slot);
      if (here) add(CompiledRequest::SlotPlace{0, p});
      return !here && probe_.may_hold(p, slot);
    });
  };
  if (!places) {
    places.emplace();
    add_below(graph_.root(), [&](const auto& place) { places->push_back(place); });
    if (policy_.by_runs || places->size() < 2) return *places;  // nothing to compare
    for (auto& place : *places) place.bound = slot_bound(place.pool, slot);
    std::stable_sort(places->begin(), places->end(), [&](const auto& a, const auto& b) {
      return scores_.better(a.bound, b.bound);
    });
    return *places;
  }
  for (const GraphChange& change : changes) {
    if (change.kind == GraphChange::Kind::removed) {
      // Where a slot no longer is, one may be further down.
      const PoolId up = change.parent;
      if (graph_.removed(up) || probe_.resolves(up, slot)) continue;
      if (std::none_of(places->begin(), places->end(),
                       [&](const CompiledRequest::SlotPlace& place) { return place.pool == up; })) {
        continue;
      }
      places.reset();
      return slot_places(slot_number);
    }
    // A slot is formed at the highest pool that has all.
    PoolId highest = kNoPool;
    for (PoolId up = change.parent; up != kNoPool; up = graph_.parent(up)) {
      if (probe_.resolves(up, slot)) highest = up;
    }
    if (highest != kNoPool) {
      const auto at = std::find_if(
          places->begin(), places->end(),
          [&](const CompiledRequest::SlotPlace& place) { return place.pool == highest; });
      const bool same = policy_.by_runs || places->size() < 2 || highest != change.parent;
      if (at != places->end() && same) continue;
      if (at != places->end()) {  // its bound is another now
        places->erase(at);
        const CompiledRequest::SlotPlace place{slot_bound(highest, slot), highest};
        places->insert(std::lower_bound(places->begin(), places->end(), place, before), place);
        continue;
      }
    }
    if (highest != kNoPool ||
        places->size() < 2) {  // perhaps only now; bounds were not needed so far
      places.reset();
      return slot_places(slot_number);
    }
    add_below(change.top, [&](CompiledRequest::SlotPlace place) {
      if (!policy_.by_runs) place.bound = slot_bound(place.pool, slot);
      // It is there already if an earlier of these changes brought what it was attached to.
      const auto at = std::lower_bound(places->begin(), places->end(), place, before);
      if (at == places->end() || at->pool != place.pool) places->insert(at, place);
    });
  }
  return *places;
}

// Slots of different pools are compared by score. Pools are visited in the order of a bound on it;
// when the worst of the slots needed is better than the next bound, no later one can come in.
void Matcher::gather_top_slots(std::uint32_t slot_number) {
  const Level& slot = probe_.request->levels[slot_number];
  if (slot.most == 0) return;
  using Rank = std::pair<Score, std::uint32_t>;  // of a slot: score, pool
  auto before = [&](const Rank& a, const Rank& b) {
    if (a.first != b.first) return scores_.better(a.first, b.first);
    return a.second != b.second && graph_.before(PoolId{a.second}, PoolId{b.second});
  };
  std::priority_queue<Rank, std::vector<Rank>, decltype(before)> best(before);  // worst on top
  const bool bounded = !policy_.by_runs && slot.most <= 4096;
  const std::size_t first = groups_.size();
  for (const CompiledRequest::SlotPlace& place : slot_places(slot_number)) {
    if (bounded && static_cast<std::int64_t>(best.size()) >= slot.most &&
        before(best.top(), {place.bound, place.pool.v})) {
      break;
    }
    if (!probe_.path_open(place.pool, graph_.root())) continue;
    const std::size_t found = groups_.size();
    slots_at(place.pool, slot_number, enclosing_term(place.pool), policy_.by_runs);
    if (!bounded) continue;
    for (std::size_t g = found; g < groups_.size(); ++g) {
      best.push({groups_[g].score, groups_[g].place});
      if (static_cast<std::int64_t>(best.size()) > slot.most) best.pop();
    }
  }
  if (policy_.by_runs) return;
  std::stable_sort(groups_.begin() + static_cast<std::ptrdiff_t>(first), groups_.end(),
                   [&](const Group& a, const Group& b) {
                     return before({a.score, a.place}, {b.score, b.place});
                   });
}

void Matcher::candidates(const CompiledRequest& request, std::uint32_t level, bool inside,
                         View view, std::int64_t start, std::int64_t end,
                         std::vector<PoolId>& out) {
  probe_.request = &request;
  probe_.view = view;
  probe_.start = start;
  probe_.end = end;
  openings_ = nullptr;
  out.clear();
  for (PoolId p : graph_.of_type(request.levels[level].type)) {
    const Marks m = marks();
    const Score term = enclosing_term(p);
    Item item;
    if (!graph_.in_tree(p) || scores_.own(p) + term <= 0) continue;
    if (!probe_.path_open(p, graph_.root()) || !visit(p, level, inside, term, item)) continue;
    rewind(m);
    out.push_back(p);
  }
  sort_by_preference(out);
}

void Matcher::sort_by_preference(std::vector<PoolId>& pools) const {
  if (policy_.first_found) return;
  std::stable_sort(pools.begin(), pools.end(),
                   [&](PoolId a, PoolId b) { return scores_.better(top_score(a), top_score(b)); });
}

void Matcher::explored(const Selection& selection, bool recorded) {
  if (policy_.first_found) exploration_.update(selection, recorded);
}

}  // namespace copse
