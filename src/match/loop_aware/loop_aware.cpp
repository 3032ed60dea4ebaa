// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/loop_aware.hpp"

#include <algorithm>
#include <set>

namespace copse {

LoopAware::LoopAware(const ResourceGraph& graph, State& state, const Policy& policy)
    : graph_(graph),
      state_(state),
      policy_(policy),
      scores_(graph, policy),
      probe_{graph, state, scores_, graph.find_type("node")},
      properties_version_(graph.properties_version()) {
  std::set<std::pair<std::uint16_t, std::uint32_t>> layouts;
  for (std::uint32_t i = 0; i < graph.interior_count(); ++i) {
    layouts.emplace(graph.type(graph.interior_pool(i)).v, graph.shape_id(i));
  }
  for (const auto& [type, shape] : layouts) {
    for (const TypeTotal& below : graph.shapes()[shape].totals) {
      nests_.insert(std::uint32_t{type} << 16 | below.type.v);
    }
  }
  for (std::uint32_t v = 0; v < graph.tree_count(); ++v) {
    const PoolId p{v};
    if (graph.size(p) <= 0) continue;  // never taken
    if (graph.type(p).v >= types_.size()) types_.resize(graph.type(p).v + 1u);
    std::int64_t& size = types_[graph.type(p).v].size;
    if (size != graph.size(p)) size = size == 0 ? graph.size(p) : -1;
  }
}

// As Matcher::forget_orders: scores may read properties. Lists that the state keeps are not used
// with such policies (see loop_aware_sources.cpp).
void LoopAware::forget_orders() {
  if (policy_.score == nullptr || properties_version_ == graph_.properties_version()) return;
  properties_version_ = graph_.properties_version();
  scores_.update();
  child_orders_.clear();
  for (TypeFacts& t : types_) {
    t.pools.clear();
    t.listed = false;
  }
}

// The one-pass walk takes whole pools in order, counts that may grow at their largest, and at the
// top level only the highest pools of all types that are asked for. Where sizes are equal, counts
// fixed and nobody competes, that misses nothing.
bool LoopAware::may_help(const CompiledRequest& request) const {
  if (!request.impossible.empty()) return false;
  if (!request.clash.empty() || request.top > 1) return true;
  for (const Level& l : request.levels) {
    if (l.count.moldable()) return true;
    if (!l.slot && l.type.v < types_.size() && types_[l.type.v].size < 0) return true;
  }
  const Level& top = request.levels[0];
  return !top.slot && nests(top.type, top.type);
}

void LoopAware::begin(const CompiledRequest& request) {
  exclusive_.assign(request.levels.size(), false);  // first: in a slot, or below what is exclusive
  for (std::uint32_t n = 0; n < request.levels.size(); ++n) {  // parents stand before children
    const Level& l = request.levels[n];
    const bool inside = exclusive_[n];
    exclusive_[n] = !l.slot && takes_exclusively(l, inside);
    for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
      if (inside || exclusive_[n] || l.slot) exclusive_[c] = true;
    }
  }
  if (!alike_made_) sort_alike();
  fits_.clear();
  alike_fit_.clear();
  pools_.clear();
  demands_.clear();
  placed_.clear();
  visits_ = 0;
  ended_ = false;
}

Score LoopAware::enclosing_term(PoolId u) const {
  if (!scores_.node_centric()) return 0;
  for (PoolId up = graph_.parent(u); up != kNoPool; up = graph_.parent(up)) {
    if (graph_.type(up) == probe_.node) return scores_.below_node(up);
  }
  return 0;
}

// Whether v could serve a level of its type if it were alone: v itself, and its list below it.
// The depth is bounded by that of the request.
bool LoopAware::fits(PoolId v, std::uint32_t n, Score term) {
  if (!spend()) return false;
  const Level& l = level(n);
  const std::uint64_t key = std::uint64_t{n} << 32 | v.v;
  if (l.children > 0) {
    if (graph_.leaf(v)) return false;
    if (const auto known = fits_.find(key); known != fits_.end()) return known->second;
  }
  bool good = scores_.own(v) + term > 0 && probe_.open(v);
  if (exclusive_[n]) good = good && l.exclusive != Exclusivity::no && probe_.idle(v);
  good = good && probe_.offers(v, l.needs) && probe_.may_draw(v, l);
  if (!good || l.children == 0) return good;
  const bool fresh = like_new(v);
  const std::uint64_t likeness =
      fresh ? std::uint64_t{n} << 32 | alike_[graph_.interior(v)] : std::uint64_t{0};
  if (fresh) {
    if (const auto known = alike_fit_.find(likeness); known != alike_fit_.end()) {
      return known->second;
    }
  }
  good = place({v, l.first, l.children, probe_.term_below(v, term)}, false);
  if (!ended_) (fresh ? alike_fit_ : fits_).emplace(fresh ? likeness : key, good);
  return good;
}

// Whether v, which is among the candidates of a demand, can serve it.
bool LoopAware::serves(const List& list, const Demand& demand, PoolId v) {
  if (list.at == kNoPool && demand.among == nullptr) {
    if (!spend() || !probe_.path_open(v, graph_.root())) return false;
  }
  return fits(v, demand.level, term_at(list, v));
}

// Places every list from the top on, and what is chosen for it with it; placed_ is its own agenda.
void LoopAware::place_all() {
  for (std::size_t i = 0; i < placed_.size() && !ended_; ++i) {
    const Placed p = placed_[i];
    const Level& l = level(p.level);
    if (l.children == 0) continue;
    const List list{p.pool, l.first, l.children, probe_.term_below(p.pool, p.term)};
    const std::size_t first = placed_.size();
    if (!place(list, true)) return;  // it fits, so that only the budget can be in the way
    grow(list, first);
  }
}

LoopAware::Found LoopAware::select(const CompiledRequest& request, View view, std::int64_t start,
                                   std::int64_t end, std::uint64_t pools_max, Selection& out) {
  out.clear();
  forget_orders();
  probe_.request = &request;
  probe_.view = view;
  probe_.start = start;
  probe_.end = end;
  pools_max_ = std::min<std::uint64_t>(pools_max, UINT64_MAX / 4);
  begin(request);
  if (!probe_.open(graph_.root())) return Found::no;
  const List top{kNoPool, 0, request.top, 0};
  if (!place(top, true)) return ended_ ? Found::ended : Found::no;
  // Writing it down takes no more looks than finding it did; the rest is for counts that grow.
  growth_max_ = 2 * pools_max_;
  pools_max_ *= 3;
  grow(top, 0);
  place_all();
  if (ended_) return Found::ended;
  picked_.clear();
  drawn_.clear();
  for (const Placed& p : placed_) {
    const Level& l = level(p.level);
    picked_.add(graph_, p.pool, l.label, exclusive_[p.level]);
    if (!l.draws.empty()) drawn_.push_back({p.pool, p.level, l.draws});
  }
  picked_.finish(probe_, out);
  return Found::yes;
}

}  // namespace copse
