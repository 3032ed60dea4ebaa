// SPDX-License-Identifier: Apache-2.0
#include "state/exploration.hpp"

#include <ranges>

namespace copse {

namespace {
constexpr std::size_t kPairsMax = 1000;  // each pool type has a list of the types that it tracks
}  // namespace

Result<PruneFilters> PruneFilters::parse(std::string_view text, ResourceGraph& graph,
                                         const PruneFilters* before) {
  std::string packed;
  for (char c : text) {
    if (c != ' ' && c != '\t') packed += c;
  }
  Interner& types = graph.names().types;
  auto intern = [&](std::string_view word) {
    return TypeId{static_cast<std::uint16_t>(types.intern(word))};
  };
  struct Pair {
    bool all;
    TypeId high, low;
  };
  std::vector<Pair> pairs;
  std::string_view rest = packed;
  for (bool more = !rest.empty(); more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view pair = rest.substr(0, comma);
    more = comma != std::string_view::npos;
    rest.remove_prefix(more ? comma + 1 : rest.size());
    const std::size_t colon = pair.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == pair.size() ||
        pair.find(':', colon + 1) != std::string_view::npos) {
      return fail(ErrorCode::invalid, "prune filter \"" + std::string(pair.substr(0, 80)) +
                                          "\" is not of the form HIGH:LOW, such as ALL:core");
    }
    if (pairs.size() >= kPairsMax) {
      return fail(ErrorCode::limit, "more than " + std::to_string(kPairsMax) +
                                        " pairs of types in the prune filters");
    }
    const bool all = pair.substr(0, colon) == "ALL";
    const Pair p{all, all ? TypeId{} : intern(pair.substr(0, colon)),
                 intern(pair.substr(colon + 1))};
    auto same_low = [&](const Pair& q) { return q.low == p.low; };
    if (p.all) {
      std::erase_if(pairs, same_low);  // ALL:x replaces every y:x
    } else if (std::any_of(pairs.begin(), pairs.end(), [&](const Pair& q) {
                 return same_low(q) && (q.all || q.high == p.high);
               })) {
      continue;
    }
    pairs.push_back(p);
  }

  // Leaf types that no filter names are tracked at the cluster.
  const TypeId cluster = intern("cluster");
  std::vector<bool> leaf(types.size(), false);
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    const PoolId p{v};
    if (graph.in_tree(p) && graph.children(p).empty()) leaf[graph.type(p).v] = true;
  }
  for (std::size_t t = 0; before != nullptr && t < before->leaves_.size(); ++t) {
    if (before->leaves_[t]) leaf[t] = true;
  }
  PruneFilters out;
  out.leaves_ = leaf;
  for (const Pair& p : pairs) leaf[p.low.v] = false;
  for (std::uint32_t t = 0; t < leaf.size(); ++t) {
    if (leaf[t]) pairs.push_back({false, cluster, TypeId{static_cast<std::uint16_t>(t)}});
  }

  out.by_type_.resize(types.size());
  out.tracked_.assign(types.size(), false);
  for (const Pair& p : pairs) out.tracked_[p.low.v] = true;
  for (std::uint32_t t = 0; t < types.size(); ++t) {
    std::vector<TypeId> own, of_all;
    for (const Pair& p : pairs) {
      if (!p.all && p.high.v == t) own.push_back(p.low);
      if (p.all && p.low.v != t) of_all.push_back(p.low);
    }
    std::sort(own.begin(), own.end());
    std::sort(of_all.begin(), of_all.end());
    own.insert(own.end(), of_all.begin(), of_all.end());
    out.by_type_[t] = std::move(own);
  }
  return out;
}

Exploration::Exploration(const ResourceGraph& graph, State& state, const PruneFilters& filters)
    : graph_(graph),
      state_(state),
      filters_(filters),
      weights_(graph.interior_count()),
      recorded_(graph.interior_count(), false) {}

void Exploration::touch(std::uint32_t i) {
  const PoolId p = graph_.interior_pool(i);
  const std::vector<TypeId>& filter = filters_.of(graph_.type(p));
  if (filter.empty() || p == graph_.root()) return;
  const Shape& shape = graph_.shape_of_interior(i);
  const int k = shape.total_index(filter.back());
  std::int64_t free = 0;
  if (k >= 0) {
    const auto at = static_cast<std::size_t>(k);
    free = shape.totals[at].total - state_.row(i)[at + 1];
  }
  if ((k < 0 || shape.totals[static_cast<std::size_t>(k)].total == 0) && !recorded_[i]) return;
  reweigh(i, static_cast<std::uint64_t>(std::max<std::int64_t>(free, 0)));
}

void Exploration::reweigh(std::uint32_t i, std::uint64_t weight) {
  if (weight == weight_at(i)) return;
  set_weight_of(i, weight);
  const PoolId p = graph_.interior_pool(i);
  auto it = lists_.find(graph_.parent(p).v);
  if (it != lists_.end()) {
    it->second->list.reorder(it->second->key(i), {~weight, ~graph_.uniq_id(p)});
  }
}

// From the last pool to the first: what is below a pool has been seen before it.
void Exploration::update(const Selection& selection, bool recorded) {
  PoolId tracked = kNoPool;  // the last one seen whose type a filter tracks, or with one below it
  for (const SelectedPools& t : std::views::reverse(selection.taken)) {
    const auto note = [&](std::uint32_t i, bool tracks) {
      const PoolId p = graph_.interior_pool(i);
      if (graph_.children(p).empty()) return;
      if (recorded && tracks && !filters_.of(graph_.type(p)).empty()) recorded_[i] = true;
      touch(i);
    };
    if (!graph_.leaf(t.first) && !t.hidden) {
      const std::uint32_t i = graph_.interior(t.first);
      const bool below = tracked != kNoPool && graph_.below(tracked, t.first);
      note(i, t.whole ? tracks_below(i) : below);
      if (t.whole) {
        graph_.for_each_interior_below(t.first,
                                       [&](std::uint32_t each) { note(each, tracks_below(each)); });
      }
    }
    const bool counts =
        filters_.tracked(graph_.type(t.first)) ||
        (t.whole && !graph_.leaf(t.first) && tracks_below(graph_.interior(t.first)));
    if (counts && !t.hidden) tracked = t.first;
  }
}

bool Exploration::tracks_below(std::uint32_t i) const {
  return std::ranges::any_of(graph_.shape_of_interior(i).totals, [&](const auto& t) {
    return t.total > 0 && filters_.tracked(t.type);
  });
}

void Exploration::attached(PoolId top) {
  weights_.resize(graph_.interior_count());
  recorded_.resize(graph_.interior_count(), false);
  auto it = lists_.find(graph_.parent(top).v);
  if (it == lists_.end() || graph_.leaf(top)) return;
  state_.lists().insert(*it->second, top, CandidateList::Order{~weight(top), ~graph_.uniq_id(top)});
}

void Exploration::removed(PoolId parent) {
  if (!graph_.children(parent).empty()) return;
  recorded_[graph_.interior(parent)] = false;
  reweigh(graph_.interior(parent), kUntouched);
}

WatchedList& Exploration::list(PoolId p) {
  auto it = lists_.find(p.v);
  if (it != lists_.end()) return *it->second;
  std::vector<std::pair<CandidateList::Order, PoolId>> order;
  for (PoolId c : graph_.children(p)) {
    if (!graph_.leaf(c)) order.push_back({{~weight(c), ~graph_.uniq_id(c)}, c});
  }
  std::sort(order.begin(), order.end());
  std::vector<PoolId> pools;
  std::vector<CandidateList::Order> orders;
  for (const auto& [o, c] : order) {
    pools.push_back(c);
    orders.push_back(o);
  }
  WatchedList& made = state_.lists().add(pools);
  made.list.set_orders(orders);
  lists_.emplace(p.v, &made);
  return made;
}

}  // namespace copse
