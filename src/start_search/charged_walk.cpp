// SPDX-License-Identifier: Apache-2.0
#include "start_search/charged_walk.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace copse {

namespace {
// The limit of walks with excess pools excluded; beyond it, nothing is found.
constexpr int kPassesMax = 64;
}  // namespace

ChargedWalk::ChargedWalk(const ResourceGraph& graph, const State& state,
                         const EngineOptions& options, Walks& walks)
    : graph_(graph),
      state_(state),
      options_(options),
      walks_(walks),
      node_(graph.find_type("node")),
      availability_(graph, state) {}

void ChargedWalk::set_hres(const HresTable* hres) {
  hres_ = hres;
  availability_.set_hres(hres);
  charger_.reset();
  if (hres != nullptr) charger_.emplace(graph_, *hres);
}

void ChargedWalk::set_channels(Channels* channels) { availability_.set_channels(channels); }

void ChargedWalk::recompute_charges(const Selection& selection, GrantCharges& charges) {
  assert(charger_);
  charger_->recompute_charges(nodes_of(selection), charges);
}

void ChargedWalk::settle(const Selection& selection, const Window& window, JobId job,
                         GrantCharges& charges) {
  assert(charger_);
  const std::vector<PoolId>& nodes = nodes_of(selection);
  charger_->choose_payers(nodes, job, window.start, window.end, charges);
  charger_->recompute_charges(nodes, charges);
}

std::int64_t ChargedWalk::nodes_at_least(const CompiledRequest& request) const {
  if (request.treepool == nullptr) {
    const std::int64_t units = request.total_of(node_);
    const std::int64_t largest = std::max<std::int64_t>(graph_.largest(node_), 1);
    return std::max<std::int64_t>((units + largest - 1) / largest, 1);
  }
  const TreepoolRequest& asked = *request.treepool;
  std::int64_t nodes = 1;
  if (asked.by_node && __builtin_mul_overflow(asked.nodes.min, asked.node_factor, &nodes)) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return std::max<std::int64_t>(nodes, 1);
}

const std::vector<PoolId>& ChargedWalk::nodes_of(const Selection& selection) {
  nodes_.clear();
  for (const SelectedPools& t : selection.taken) {
    if (graph_.type(t.first) == node_) {
      for (std::uint32_t v = 0; v < t.count; ++v) nodes_.push_back(PoolId{t.first.v + v});
    } else if (t.whole && !graph_.leaf(t.first) && graph_.shape(t.first).total(node_) > 0) {
      graph_.preorder(t.first, [&](PoolId p) {
        if (graph_.type(p) == node_) nodes_.push_back(p);
        return graph_.type(p) != node_ && !graph_.leaf(p);
      });
    }
  }
  return nodes_;
}

WalkOutcome ChargedWalk::select(LearnedRequest& request, const Window& window,
                                SearchResult& result) {
  result.match.charges.clear();
  const bool layered = window.layers && !request.hres.empty();
  const bool charges = window.channels && request.charges_channels;
  if (!layered && !charges) {
    return walks_.walk(request, window.view, window.start, window.end, result);
  }
  WalkOutcome found = WalkOutcome::no;
  if (layered) {
    for (const std::vector<HresNeed>& needs : request.hres.alternatives) {
      Query query{request, needs, window, result.job, charges};
      const WalkOutcome here = select_alternative(query, result);
      if (here != WalkOutcome::no) found = here;
      if (here == WalkOutcome::yes) break;
    }
  } else {
    Query query{request, {}, window, result.job, charges};
    found = select_alternative(query, result);
  }
  walks_.set_availability(nullptr, false);
  if (charges) {
    (window.view == StateView::empty ? result.refused_ever : result.refused_now) =
        found == WalkOutcome::yes ? ChannelAvailability::Refusal{}
                                  : availability_.channels().refusal();
  }
  if (found != WalkOutcome::yes) result.match.selection.clear();
  return found;
}

WalkOutcome ChargedWalk::select_alternative(Query& query, SearchResult& result) {
  const bool layered = !query.needs.empty();
  query.nodes = nodes_at_least(query.request);
  if (cannot_serve(query)) return WalkOutcome::no;
  if (layered && query.charges) {
    query.exact = false;
  } else if (layered) {
    const LayerNeeds& needs = availability_.layers().needs();
    query.exact = needs.trees() <= 1 && !needs.uneven() && takes_nodes_as_found(query.request);
  } else {
    query.exact = charges_as_found(query.request);
    if (!query.exact && query.window.view == StateView::empty &&
        too_few_capacities(query.request)) {
      return WalkOutcome::no;
    }
  }
  if (layered && select_in_block(query, result)) return WalkOutcome::yes;
  WalkOutcome otherwise = WalkOutcome::no;  // the outcome if nothing is found
  bool taking = true;
  for (int pass = 0; pass < kPassesMax; ++pass) {
    const WalkOutcome found = walk(query, taking, result);
    if (found == WalkOutcome::yes) {
      if (charge(query, result)) return WalkOutcome::yes;
      taking = false;
      if (query.charges) otherwise = WalkOutcome::uncertain;
      if (!refuse_excess(query, result)) return otherwise;
      otherwise = WalkOutcome::uncertain;
      continue;
    }
    if (found != WalkOutcome::no) otherwise = found;
    if (!availability_.contended() || query.exact) return otherwise;
    const bool uneven = layered && availability_.layers().needs().uneven();
    if (layered && pass == 0 && availability_.layers().needs().trees() == 2 && !uneven &&
        takes_nodes_as_found(query.request) && !walks_.treepool()) {
      if (!keep_only_in_two_trees(query)) return otherwise;
      // that choice did not consider channels
      if (query.charges) otherwise = WalkOutcome::uncertain;
      continue;  // the next walk finds them
    }
    if (otherwise == WalkOutcome::no) otherwise = WalkOutcome::uncertain;
    if (uneven && taking) {  // nodes with large needs took what others could have had
      if (pass + 2 >= kPassesMax || !availability_.layers().refuse_heaviest()) return otherwise;
      availability_.reset();
      continue;
    }
    if (!taking || walks_.treepool()) return otherwise;
    taking = false;  // too much may have been taken during the walk
    availability_.reset();
  }
  return WalkOutcome::uncertain;
}

// Begins the availability. True if layers or channels alone exclude the request.
bool ChargedWalk::cannot_serve(const Query& query) {
  const Window& w = query.window;
  const bool empty = w.view == StateView::empty;
  availability_.begin();
  if (!query.needs.empty()) {
    availability_.begin_layers(query.needs, query.job, w.start, w.end, empty);
    LayerAvailability& layers = availability_.layers();
    if (layers.cannot_serve(query.nodes) || (empty && layers.too_few(query.nodes))) return true;
  }
  if (!query.charges) return false;
  availability_.begin_channels(w.start, w.end, empty);
  return std::ranges::any_of(query.request.least_charges, [&](const ChannelNeed& all) {
    return availability_.channels().lacks(all);
  });
}

WalkOutcome ChargedWalk::walk(const Query& query, bool taking, SearchResult& result) {
  walks_.set_availability(&availability_, taking);
  const Window& w = query.window;
  return walks_.walk(query.request, w.view, w.start, w.end, result);
}

// Charges the chosen pools. False: layers or channels do not have enough.
bool ChargedWalk::charge(const Query& query, SearchResult& result) {
  GrantCharges& charges = result.match.charges;
  charges.clear();
  if (query.charges && !charge_channels(result.charged, charges)) return false;
  if (query.needs.empty()) return true;
  // The treepool walk over an empty machine gives no selection: it has taken the amounts already.
  if (walks_.treepool() && query.window.view == StateView::empty) return true;
  const Selection& selection = result.match.selection;
  if (!selection.empty() &&
      !charger_->charge(availability_.layers(), nodes_of(selection), charges.layers)) {
    return false;
  }
  charges.needs.assign(query.needs.begin(), query.needs.end());
  return true;
}

// Excludes excess pools, in order of preference, from later walks. False: there are none.
bool ChargedWalk::refuse_excess(const Query& query, const SearchResult& result) {
  bool refused = false;
  if (query.charges) refused = refuse_excess_of_channels(result.charged);
  if (!query.needs.empty()) {
    (void)nodes_of(result.match.selection);
    walks_.simple().sort_by_preference(nodes_);
    refused = availability_.layers().refuse_excess(nodes_) || refused;
  }
  return refused;
}

// --- Layers

// For a resource whose topology is a type of pools: chooses, of those with enough nodes, the one
// where the layers leave the fewest further nodes, if the whole request fits in one.
bool ChargedWalk::select_in_block(const Query& query, SearchResult& result) {
  TypeId type = kNoType;
  for (const HresNeed& need : query.needs) {
    const HresTable::Resource& resource = hres_->resources()[need.resource];
    if (type == kNoType && !resource.topology.empty()) type = graph_.find_type(resource.topology);
  }
  if (type == kNoType || query.window.view == StateView::empty) return false;
  struct Block {
    PoolId pool;
    std::int64_t capacity;
  };
  std::vector<Block> blocks;
  std::vector<PoolId> below;
  for (PoolId pool : graph_.of_type(type)) {
    if (!graph_.in_tree(pool) || graph_.leaf(pool) || graph_.shape(pool).total(node_) <= 0) {
      continue;
    }
    below.clear();
    graph_.preorder(pool, [&](PoolId p) {
      if (graph_.type(p) == node_ && state_.usable(p)) below.push_back(p);
      return graph_.type(p) != node_ && !graph_.leaf(p);
    });
    availability_.reset();
    const std::int64_t capacity = availability_.layers().capacity(below);
    if (capacity >= query.nodes) blocks.push_back({pool, capacity});
  }
  if (blocks.size() < 2) return false;
  std::ranges::stable_sort(blocks, {}, &Block::capacity);
  for (const Block& block : blocks) {
    availability_.reset();
    availability_.layers().confine(block.pool);
    const bool found = walk(query, true, result) == WalkOutcome::yes && charge(query, result);
    availability_.layers().confine(kNoPool);
    if (found) return true;
  }
  availability_.reset();
  result.match.selection.clear();
  return false;
}

// Whether the walk takes each node as it is found, and only as many as it needs.
bool ChargedWalk::takes_nodes_as_found(const CompiledRequest& request) const {
  if (walks_.treepool()) return request.treepool->by_node && !request.treepool->moldable();
  if (!walks_.simple_serves(request)) return false;
  if (!request.variants.empty() || request.alternatives || graph_.has_further_edges()) return false;
  if (compares_all(options_)) return false;
  // The request is a list of nodes and their contents at the top level, in slots of one node or
  // without slots.
  if (graph_.largest(node_) > 1) return false;
  const Level* level = &request.levels.front();
  if (request.top != 1) return false;
  if (level->slot && !level->count.moldable() && level->children == 1) {
    level = &request.levels[level->first];
    if (level->most != 1) return false;
  }
  return !level->slot && level->type == node_ && !level->count.moldable();
}

// Exact for requests that takes_nodes_as_found() allows: a list with a fixed number of nodes.
bool ChargedWalk::keep_only_in_two_trees(const Query& query) {
  const bool inside = query.request.levels.front().slot;
  const std::uint32_t level = inside ? query.request.levels.front().first : 0;
  availability_.reset();
  walks_.set_availability(&availability_, false);
  walks_.simple().candidates(query.request, level, inside, query.window.view, query.window.start,
                             query.window.end, nodes_);
  return availability_.layers().keep_only_in_two_trees(nodes_, query.nodes);
}

// --- Channels

// Computes the charges of the chosen pools to channels. False: some capacity has too little.
bool ChargedWalk::charge_channels(const ChargedPools& pools, GrantCharges& charges) {
  availability_.reset();
  for (const ChargedPool& p : pools) {
    if (!availability_.take(p.pool, p.level, p.needs)) return false;
    for (const ChannelNeed& need : p.needs) {
      charges.pools.push_back({p.pool, need.channel, need.amount});
    }
  }
  availability_.channels().charges(charges.capacities);
  return true;
}

bool ChargedWalk::refuse_excess_of_channels(const ChargedPools& pools) {
  availability_.reset();
  std::vector<const ChargedPool*> excess;
  for (const ChargedPool& p : pools) {
    if (!availability_.take(p.pool, p.level, p.needs)) excess.push_back(&p);
  }
  for (const ChargedPool* p : excess) availability_.channels().refuse(p->pool, p->level);
  availability_.reset();
  return !excess.empty();
}

// The only charges are those of one list of pools with equal needs in one channel; in a slot or
// not, below single pools. Then a pool where the list fails has taken nothing elsewhere.
bool ChargedWalk::charges_as_found(const CompiledRequest& request) const {
  if (!request.variants.empty() || request.alternatives) return false;
  if (graph_.has_further_edges() || !walks_.simple_serves(request)) return false;
  if (compares_all(options_)) return false;
  const auto charges_channels = std::count_if(request.levels.begin(), request.levels.end(),
                                              [](const Level& l) { return !l.charges.empty(); });
  if (request.top != 1 || charges_channels != 1) return false;
  const Level* level = &request.levels.front();
  while (level->charges.empty()) {
    if (level->children != 1 || level->count.moldable()) return false;
    const Level& child = request.levels[level->first];
    // A slot with one charged pool: any number. Other slots are formed pool by pool, and the rest
    // of one pool would not be available at the next.
    const bool around = level->slot && !child.charges.empty() && child.most == 1;
    if (!around && level->count.min != 1) return false;
    level = &child;
  }
  if (graph_.largest(level->type) > 1) return false;
  return level->charges.size() == 1 && !level->count.moldable();
}

// Whether the capacities have too little for the least number of pools of some level. For each need
// separately, taking pools in any order finds the maximum. O(pools of those types).
bool ChargedWalk::too_few_capacities(const CompiledRequest& request) {
  const bool only = std::count_if(request.levels.begin(), request.levels.end(),
                                  [](const Level& l) { return !l.charges.empty(); }) == 1;
  bool few = false;
  for (std::uint32_t n = 0; n < request.levels.size() && !few; ++n) {
    const Level& level = request.levels[n];
    if (level.slot || level.alternative) continue;
    const std::int64_t size = std::max<std::int64_t>(graph_.largest(level.type), 1);
    for (std::size_t d = 0; d < level.charges.size() && !few; ++d) {
      const ChannelAvailability::Needs need(&level.charges[d], 1);
      std::int64_t pools = level.count.min / size + (level.count.min % size != 0 ? 1 : 0);
      for (const ChannelNeed& all : request.least_charges) {
        // If no other level uses the channel, the total need gives the number of pools.
        if (only && all.channel == need[0].channel) {
          pools = std::max(pools, all.amount / need[0].amount);
        }
      }
      availability_.reset();
      std::int64_t found = 0;
      graph_.preorder(graph_.root(), [&](PoolId p) {
        if (graph_.type(p) == level.type && found < pools) {
          found += availability_.take(p, n, need) ? 1 : 0;
        }
        return found < pools && !graph_.leaf(p);
      });
      few = found < pools;
    }
  }
  availability_.reset();
  return few;
}

}  // namespace copse
