// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/candidate_sources.hpp"

#include <algorithm>
#include <set>

namespace copse {

PoolTypes::PoolTypes(const ResourceGraph& graph) {
  std::set<std::pair<std::uint16_t, std::uint32_t>> typed_shapes;
  for (std::uint32_t i = 0; i < graph.interior_count(); ++i) {
    typed_shapes.emplace(graph.type(graph.interior_pool(i)).v, graph.shape_id(i));
  }
  for (const auto& [type, shape] : typed_shapes) {
    for (const TypeTotal& below : graph.shapes()[shape].totals) {
      nests_.insert(std::uint32_t{type} << 16 | below.type.v);
    }
  }
  for (std::uint32_t v = 0; v < graph.tree_count(); ++v) {
    const PoolId p{v};
    if (graph.size(p) <= 0) continue;
    if (graph.type(p).v >= sizes_.size()) sizes_.resize(graph.type(p).v + 1u);
    std::int64_t& size = sizes_[graph.type(p).v];
    if (size != graph.size(p)) size = size == 0 ? graph.size(p) : -1;
  }
}

void CandidateSources::forget_orders() {
  child_orders_.clear();
  of_types_.assign(types_.count(), {});
}

Score CandidateSources::enclosing_term(PoolId u) const {
  if (!eligibility_.scores.node_centric()) return 0;
  const ResourceGraph& graph = eligibility_.graph;
  for (PoolId up = graph.parent(u); up != kNoPool; up = graph.parent(up)) {
    if (graph.type(up) == eligibility_.node) return eligibility_.scores.below_node(up);
  }
  return 0;
}

// `first` explores the latest created first, as on an unused machine.
void CandidateSources::sort(std::vector<PoolId>& pools, std::size_t first, bool anywhere) const {
  const auto begin = pools.begin() + static_cast<std::ptrdiff_t>(first);
  if (policy_.first_found) {
    std::sort(begin, pools.end(), [&](PoolId a, PoolId b) {
      return eligibility_.graph.uniq_id(a) > eligibility_.graph.uniq_id(b);
    });
    return;
  }
  auto score = [&](PoolId p) {
    return eligibility_.scores.own(p) + (anywhere ? enclosing_term(p) : 0);
  };
  std::stable_sort(begin, pools.end(), [&](PoolId a, PoolId b) {
    return eligibility_.scores.better(score(a), score(b));
  });
}

CandidateSources::Source CandidateSources::of(const std::vector<PoolId>& pools) const {
  Source out;
  out.kept = &pools;
  out.count = static_cast<std::uint32_t>(pools.size());
  for (PoolId p : pools) {
    if (out.size == -1) out.size = eligibility_.graph.size(p);
    if (out.size == eligibility_.graph.size(p)) continue;
    out.size = -1;
    break;
  }
  return out;
}

// Pushes the children of u of a type, in order; `only` is their run if there is just one.
void CandidateSources::push_children(PoolId u, TypeId type, const ChildRun* only) {
  const ResourceGraph& graph = eligibility_.graph;
  const auto all = graph.children(u);
  const ChildOrder order = only != nullptr && !policy_.first_found
                               ? eligibility_.scores.order(graph.interior(u), *only)
                               : ChildOrder::mixed;
  if (order == ChildOrder::mixed) {
    const std::size_t first = stack_.size();
    for (PoolId c : all) {
      if (graph.type(c) == type) stack_.push_back(c);
    }
    return sort(stack_, first, false);
  }
  const auto run = all.subspan(only->first, only->count);
  for (std::uint32_t k = 0; k < only->count; ++k) {
    stack_.push_back(run[order == ChildOrder::backward ? only->count - 1 - k : k]);
  }
}

// A few are sorted here; many are kept sorted.
CandidateSources::Source CandidateSources::children(PoolId u, TypeId type) {
  Source out;
  if (eligibility_.graph.leaf(u)) return out;
  const ChildRun* only = nullptr;
  std::uint32_t runs = 0;
  bool leaves = false;
  for (const ChildRun& run : eligibility_.graph.shape(u).runs) {
    if (run.type != type) continue;
    out.size = runs == 0 || run.size == out.size ? run.size : -1;
    only = ++runs == 1 ? &run : nullptr;
    out.count += run.count;
    leaves |= run.leaves;
  }
  if (runs == 0) return out;
  const std::uint64_t key = std::uint64_t{u.v} << 16 | type.v;
  const bool listed = !leaves && policy_.scores_by_id();
  out.first = static_cast<std::uint32_t>(stack_.size());
  if (out.count <= kFew) {
    push_children(u, type, only);
  } else if (listed) {
    WatchedList*& list = child_lists_[key];
    if (list == nullptr) {
      push_children(u, type, only);
      list = &state_.lists().add({stack_.data() + out.first, out.count});
      rewind(out.first);
    }
    out.list = list;
  } else {
    std::vector<PoolId>& order = child_orders_[key];
    if (order.empty()) {
      push_children(u, type, only);
      order.assign(stack_.begin() + out.first, stack_.end());
      rewind(out.first);
    }
    out.kept = &order;
  }
  return out;
}

CandidateSources::Source CandidateSources::anywhere(TypeId type) {
  Source out;
  if (type.v >= of_types_.size()) return out;
  OfType& all = of_types_[type.v];
  const ResourceGraph& graph = eligibility_.graph;
  if (!all.listed) {
    all.listed = true;
    bool interior = true;
    for (std::uint32_t v = 0; v < graph.tree_count(); ++v) {
      if (graph.type(PoolId{v}) != type) continue;
      all.pools.push_back(PoolId{v});
      interior &= !graph.leaf(PoolId{v});
    }
    sort(all.pools, true);
    if (interior && all.pools.size() > kFew && policy_.scores_by_id()) {
      all.list = &state_.lists().add(all.pools);
    }
  }
  out.list = all.list;
  out.kept = &all.pools;
  out.count = static_cast<std::uint32_t>(all.pools.size());
  out.size = types_.size(type);
  return out;
}

CandidateSources::Source CandidateSources::of_type(PoolId at, TypeId type) {
  return at == kNoPool ? anywhere(type) : children(at, type);
}

// A list shows the present state only.
PoolId CandidateSources::next(const Source& source, const Level& level, bool exclusive,
                              Cursor& cursor) {
  const bool now = eligibility_.view == StateView::now;
  if (source.list == nullptr || (!now && source.kept != nullptr)) {
    if (cursor.next >= source.count) return kNoPool;
    const std::uint32_t at = cursor.next++;
    return source.kept != nullptr ? (*source.kept)[at] : stack_[source.first + at];
  }
  CandidateList::Need needs[8];
  std::size_t count = 0;
  if (now) {
    needs[count++] = {exclusive ? WatchedList::kIdle : WatchedList::kAvailable, 1};
    for (const Need& n : level.needs) {
      if (n.units <= 0 || count == std::size(needs)) continue;
      needs[count++] = {
          state_.lists().watch(*source.list, n.type),
          static_cast<CandidateList::Value>(std::min<std::int64_t>(n.units, INT32_MAX))};
    }
  }
  if (!source.list->list.next(cursor.at, {needs, count})) return kNoPool;
  const PoolId found = source.list->list.pool(cursor.at);
  CandidateList::advance(cursor.at);
  return found;
}

}  // namespace copse
