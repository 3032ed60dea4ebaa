// SPDX-License-Identifier: Apache-2.0
//
// Candidates for the loop-aware walk, in the policy's order. Where they are many and interior, a
// list that shows what each has free passes over those that cannot serve.
#include <algorithm>

#include "match/loop_aware/loop_aware.hpp"

namespace copse {

// Puts pools_[first …) or a vector of pools in order of preference. `first` explores the youngest
// first, as it does on an untouched machine.
void LoopAware::sort(std::vector<PoolId>& pools, std::size_t first, bool with_terms) const {
  const auto begin = pools.begin() + static_cast<std::ptrdiff_t>(first);
  if (policy_.first_found) {
    std::sort(begin, pools.end(),
              [&](PoolId a, PoolId b) { return graph_.uniq_id(a) > graph_.uniq_id(b); });
    return;
  }
  std::stable_sort(begin, pools.end(), [&](PoolId a, PoolId b) {
    const Score term_a = with_terms ? enclosing_term(a) : 0;
    const Score term_b = with_terms ? enclosing_term(b) : 0;
    return scores_.better(scores_.own(a) + term_a, scores_.own(b) + term_b);
  });
}

LoopAware::Source LoopAware::kept(const std::vector<PoolId>& pools) const {
  Source out;
  out.kept = &pools;
  out.count = static_cast<std::uint32_t>(pools.size());
  for (PoolId p : pools) {
    if (out.size == -1) out.size = graph_.size(p);
    if (out.size == graph_.size(p)) continue;
    out.size = -1;
    break;
  }
  return out;
}

// Children of u of one type. Few are put in order here; many are kept in order.
LoopAware::Source LoopAware::children(PoolId u, TypeId type) {
  Source out;
  if (graph_.leaf(u)) return out;
  const ChildRun* only = nullptr;
  std::uint32_t runs = 0;
  bool leaves = false;
  for (const ChildRun& run : graph_.shape(u).runs) {
    if (run.type != type) continue;
    out.size = runs == 0 || run.size == out.size ? run.size : -1;
    only = &run;
    ++runs;
    out.count += run.count;
    leaves |= run.leaves;
  }
  if (runs == 0) return out;
  const std::uint64_t key = std::uint64_t{u.v} << 16 | type.v;
  const bool listed = !leaves && policy_.score == nullptr && out.count > kFew;
  if (listed) {
    const auto it = child_lists_.find(key);
    if (it != child_lists_.end()) {
      out.list = it->second;
      return out;
    }
  } else if (out.count > kFew) {
    const auto it = child_orders_.find(key);
    if (it != child_orders_.end()) {
      out.kept = &it->second;
      return out;
    }
  }
  out.first = static_cast<std::uint32_t>(pools_.size());
  const auto all = graph_.children(u);
  const ChildOrder order = runs == 1 && !policy_.first_found
                               ? scores_.order(graph_.interior(u), *only)
                               : ChildOrder::mixed;
  if (order == ChildOrder::mixed) {
    for (PoolId c : all) {
      if (graph_.type(c) == type) pools_.push_back(c);
    }
    sort(pools_, out.first, false);
  } else {
    const auto run = all.subspan(only->first, only->count);
    for (std::uint32_t k = 0; k < only->count; ++k) {
      pools_.push_back(run[order == ChildOrder::backward ? only->count - 1 - k : k]);
    }
  }
  const auto made = pools_.begin() + out.first;
  if (listed) {
    out.list = &state_.add_list({pools_.data() + out.first, out.count});
    child_lists_.emplace(key, out.list);
  } else if (out.count > kFew) {
    out.kept = &child_orders_.emplace(key, std::vector<PoolId>(made, pools_.end())).first->second;
  } else {
    return out;
  }
  pools_.erase(made, pools_.end());
  return out;
}

// All pools of a type, for the top level.
LoopAware::Source LoopAware::anywhere(TypeId type) {
  Source out;
  if (type.v >= types_.size()) return out;
  TypeFacts& facts = types_[type.v];
  if (!facts.listed) {
    facts.listed = true;
    bool interior = true;
    for (std::uint32_t v = 0; v < graph_.tree_count(); ++v) {
      if (graph_.type(PoolId{v}) != type) continue;
      facts.pools.push_back(PoolId{v});
      interior &= !graph_.leaf(PoolId{v});
    }
    sort(facts.pools, 0, true);
    if (interior && facts.pools.size() > kFew && policy_.score == nullptr) {
      facts.list = &state_.add_list(facts.pools);
    }
  }
  out.list = facts.list;
  out.kept = &facts.pools;
  out.count = static_cast<std::uint32_t>(facts.pools.size());
  out.size = facts.size == 0 ? -1 : facts.size;
  return out;
}

LoopAware::Source LoopAware::source(const List& list, const Demand& demand) {
  if (demand.among != nullptr) return kept(*demand.among);
  const TypeId type = level(demand.level).type;
  return list.at == kNoPool ? anywhere(type) : children(list.at, type);
}

// The next candidate that may serve the demand; kNoPool at the end. What a list shows is true of
// this moment only.
PoolId LoopAware::next(const Source& source, const Demand& demand, Cursor& cursor) {
  if (source.list == nullptr || probe_.view != View::now) {
    if (source.list != nullptr && source.kept == nullptr) {
      if (!source.list->list.next(cursor.at, {})) return kNoPool;
    } else {
      if (cursor.next >= source.count) return kNoPool;
      const std::uint32_t at = cursor.next++;
      return source.kept != nullptr ? (*source.kept)[at] : pools_[source.first + at];
    }
  } else {
    CandidateList::Need needs[8];
    std::size_t count = 0;
    needs[count++] = {exclusive_[demand.level] ? WatchedList::kIdle : WatchedList::kAvailable, 1};
    for (const Need& n : level(demand.level).needs) {
      if (n.units <= 0 || count == std::size(needs)) continue;
      needs[count++] = {
          state_.watch(*source.list, n.type),
          static_cast<CandidateList::Value>(std::min<std::int64_t>(n.units, INT32_MAX))};
    }
    if (!source.list->list.next(cursor.at, {needs, count})) return kNoPool;
  }
  const PoolId found = source.list->list.pool(cursor.at);
  CandidateList::advance(cursor.at);
  return found;
}

}  // namespace copse
