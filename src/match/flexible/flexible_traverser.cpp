// SPDX-License-Identifier: Apache-2.0
#include "match/flexible/flexible_traverser.hpp"

#include <algorithm>
#include <numeric>

#include "base/saturating.hpp"
#include "match/shared/locality_order.hpp"

namespace copse {

FlexibleTraverser::FlexibleTraverser(const Eligibility& eligibility, State& state,
                                     const Policy& policy, Exploration& exploration)
    : eligibility_(eligibility),
      graph_(eligibility.graph),
      policy_(policy),
      lists_(eligibility, state),
      first_(eligibility, exploration, lists_, arena_),
      visits_(eligibility, policy, arena_),
      paths_(eligibility.paths),
      packer_(arena_) {}

std::optional<std::size_t> FlexibleTraverser::walk(Again again, WalkResult& result) {
  result_ = &result;
  again_ = again;
  met_again_ = false;
  arena_.rewind({});
  lists_.clear();
  first_.clear();
  pools_.clear();
  moved_.clear();
  entered_.clear();
  if (paths_ != nullptr) paths_->begin();
  visit(graph_.root(), {.list = 0,
                        .pristine = true,
                        .slots_only = false,
                        .exclusive = false,
                        .term = 0,
                        .depth = 0,
                        .way = kNoPool});
  const std::size_t own = arena_.chosen.size();
  if (policy_.visit != nullptr && visits_.request(levels(list(0))) <= 0) {
    if (visits_.enough()) ++result.refused;
    return std::nullopt;
  }
  if (!choose(list(0), 0, true)) return std::nullopt;
  return own;
}

void FlexibleTraverser::select(Selection& out, WalkResult& result) {
  out.clear();
  auto own = walk(Again::never, result);
  if (!own && met_again_) own = walk(Again::in_vain, result);
  if (!own) return;
  builder_.clear();
  result.slots =
      arena_.collect(*own, arena_.chosen.size() - *own, eligibility_, builder_, result.charged);
  std::sort(moved_.begin(), moved_.end());
  builder_.finish(eligibility_, out, moved_);
  result.found = true;
}

// --- One pool

// The level of the list that has u's type; nullptr if none.
const Level* FlexibleTraverser::match(PoolId u, const Query& query) const {
  if (query.slots_only) return nullptr;
  for (const Level& level : levels(list(query.list))) {
    if (!level.slot && level.type == graph_.type(u)) return &level;
  }
  return nullptr;
}

// Whether one of the list's slots can be formed at u.
bool FlexibleTraverser::slot_resolves(PoolId u, const Siblings& siblings) const {
  if (siblings.slots == 0) return false;
  return std::ranges::any_of(levels(siblings), [&](const Level& level) {
    return level.slot && eligibility_.resolves(u, level);
  });
}

// Whether u has enough for one of the list's slots.
bool FlexibleTraverser::slot_possible(PoolId u, const Siblings& siblings) const {
  return std::ranges::any_of(
      levels(siblings), [&](const Level& level) { return level.slot && has_free(u, level.needs); });
}

// A pool counts as visited once it has passed the checks on itself.
void FlexibleTraverser::enter(PoolId u, const Query& query) {
  if (paths_ == nullptr || again_ == Again::always) return;
  paths_->enter(u);
  entered_.push_back(u);
  if (query.way != kNoPool) moved_.emplace_back(u, query.way);
}

// Whether a part of the query may be below u.
bool FlexibleTraverser::may_hold(PoolId u, const Query& query) const {
  if (paths_ != nullptr && graph_.further_below(u)) return true;
  return std::ranges::any_of(levels(list(query.list)), [&](const Level& level) {
    return (!query.slots_only || level.slot) && eligibility_.may_hold(u, level) &&
           eligibility_.has_free(u, level.needs);
  });
}

// Pushes what u passes up, and u itself if it is requested.
void FlexibleTraverser::visit(PoolId u, const Query& query) {
  if (query.depth >= kDepthMax) return;
  ++result_->visits;
  if (again_ == Again::always && result_->visits >= kRevisitsMax) return;
  if (paths_ != nullptr && !paths_->fresh(u)) {
    met_again_ = true;
    return;
  }
  if (!eligibility_.open(u)) return;
  const std::size_t groups = arena_.groups.size(), entered = entered_.size();
  const std::size_t moved = moved_.size();
  visit_open(u, query);
  if (again_ != Again::in_vain || arena_.groups.size() != groups) return;
  while (entered_.size() > entered) {
    paths_->leave(entered_.back());
    entered_.pop_back();
  }
  moved_.resize(moved);
}

void FlexibleTraverser::visit_open(PoolId u, const Query& query) {
  const Level* const own = match(u, query);
  const Siblings& siblings = list(query.list);
  const bool slot = slot_resolves(u, siblings);
  if (own != nullptr && slot) {
    add_remark(result_->remarks, {.kind = Remark::Kind::siblings_conflict, .type = graph_.type(u)});
  } else if (own != nullptr) {
    visit_match(u, query, *own);
  } else if (slot) {
    if (!slot_possible(u, siblings)) return;
    enter(u, query);
    form(u, query, siblings);
  } else if (query.pristine || siblings.slots > 0) {
    pass_through(u, query);
  }
}

// Passes levels that the request does not name: any above its top level; below a match only those
// on the path to a slot. (The reference finds such slots, and then loses the pools between.)
void FlexibleTraverser::pass_through(PoolId u, const Query& query) {
  if (leaf(u) || !may_hold(u, query)) return;
  enter(u, query);
  Query below = query;
  below.slots_only = !query.pristine;
  below.term = eligibility_.term_below(u, query.term);
  explore(u, below, 1);
}

// Whether u may be taken for the level.
bool FlexibleTraverser::agrees(PoolId u, const Level& level, bool exclusive) {
  if (exclusive && level.exclusive == Exclusivity::no) {
    add_remark(result_->remarks, {.kind = Remark::Kind::exclusivity_conflict,
                                  .pool = u,
                                  .label = &eligibility_.request->labels[level.label]});
    return false;
  }
  if (exclusive && !eligibility_.idle(u)) return false;
  if (!eligibility_.request->agrees(u, level)) return false;
  return has_free(u, level.needs) && eligibility_.can_charge(u, level);
}

void FlexibleTraverser::visit_match(PoolId u, const Query& query, const Level& own) {
  Score score = eligibility_.scores.own(u) + query.term;
  const bool exclusive = takes_exclusively(own, query.exclusive);
  if (score <= 0 || !agrees(u, own, exclusive)) return;
  enter(u, query);
  ChoiceItem item{u, 0, 0, number(own), exclusive};
  if (own.children > 0) {
    if (!choose_below(u, query, own, exclusive, item, score)) return;
  } else if (policy_.visit != nullptr) {
    score = visited(u, query, own, arena_.groups.size());
    if (score <= 0) return;
  }
  const std::int64_t units = eligibility_.units_of(u);
  if (graph_.divisible(u)) {
    if (units <= 0) return;
    item.set_units(units);
  }
  arena_.push(score, units, own.type, item);
}

// The score that a visiting policy gives to a matched pool, above groups from `first` on.
Score FlexibleTraverser::visited(PoolId u, const Query& query, const Level& own,
                                 std::size_t first) {
  const std::span<const Level> below =
      own.children > 0 ? levels(list(own.list)) : std::span<const Level>();
  const Score score = visits_.pool(u, own, below, first);
  if (score <= 0 && visits_.enough()) ++result_->refused;
  return score <= 0 ? 0 : score + query.term;
}

// Finds and chooses what a matched pool must have below it. A visiting policy changes its score.
bool FlexibleTraverser::choose_below(PoolId u, const Query& query, const Level& own, bool exclusive,
                                     ChoiceItem& item, Score& score) {
  if (leaf(u)) return false;
  const ChoiceArena::Marks m = arena_.marks();
  const Siblings& wanted_below = list(own.list);
  Query below = query;
  below.list = own.list;
  below.pristine = false;
  below.exclusive = query.exclusive || exclusive;
  if (slot_resolves(u, wanted_below)) {
    if (slot_possible(u, wanted_below)) form(u, below, wanted_below);
  } else {
    below.term = eligibility_.term_below(u, query.term);
    explore(u, below, 1);
  }
  item.first = static_cast<std::uint32_t>(arena_.chosen.size());
  if (policy_.visit != nullptr) score = visited(u, query, own, m.groups);
  if (score <= 0 || !choose(wanted_below, m.groups, false)) {
    arena_.rewind(m);
    return false;
  }
  item.count = static_cast<std::uint32_t>(arena_.chosen.size()) - item.first;
  arena_.drop_found(m);
  return true;
}

// --- Children: all in edge order or, under `first`, by weight until there is enough

bool FlexibleTraverser::wanted(TypeId type, const Query& below) const {
  if (below.slots_only) return false;
  return std::ranges::any_of(levels(list(below.list)),
                             [&](const Level& level) { return !level.slot && level.type == type; });
}

// Visits the children of u. `shares`: for `first`, this many times the count of each type is
// enough.
void FlexibleTraverser::explore(PoolId u, const Query& query, std::int64_t shares) {
  Query below = query;
  ++below.depth;
  below.way = kNoPool;
  const Siblings& siblings = list(below.list);
  const bool passes = below.pristine || siblings.slots > 0;
  if (policy_.first_found) {
    first_.run(u, {siblings.first, siblings.count, below.slots_only, passes, shares},
               [&](PoolId v) { visit_child(u, v, below); });
    return;
  }
  if (paths_ != nullptr && !graph_.further_children(u).empty()) return explore_further(u, below);
  const auto children = graph_.children(u);
  for (const ChildRun& run : graph_.shape(u).runs) {
    if (!wanted(run.type, below) && (run.leaves || !passes)) continue;
    for (const PoolId v : children.subspan(run.first, run.count)) visit(v, below);
  }
}

// Visits children by tree edges and by further edges, in order of creation.
void FlexibleTraverser::explore_further(PoolId u, const Query& below) {
  const std::size_t begin = pools_.size();
  graph_.append_children(u, pools_);
  const std::size_t end = pools_.size();
  for (std::size_t i = begin; i < end; ++i) visit_child(u, pools_[i], below);
  pools_.resize(begin);
}

void FlexibleTraverser::visit_child(PoolId u, PoolId v, Query below) {
  if (graph_.parent(v) != u) below.way = u;
  visit(v, below);
}

// --- From groups to slots and to chosen pools

// Puts the groups of a type from `first` on in order of preference; equal scores keep the order of
// discovery.
void FlexibleTraverser::order_type(TypeId type, std::size_t first, bool top) {
  order_.clear();
  for (std::size_t g = first; g < arena_.groups.size(); ++g) {
    if (arena_.groups[g].type == type) order_.push_back(static_cast<std::uint32_t>(g));
  }
  auto score = [&](std::uint32_t g) { return arena_.groups[g].score; };
  auto better = [&](std::uint32_t a, std::uint32_t b) {
    return eligibility_.scores.better(score(a), score(b));
  };
  if (top && policy_.by_runs) {
    sort_by_locality(order_.begin(), order_.end(), score);
  } else if (!std::ranges::is_sorted(order_, better)) {
    std::ranges::stable_sort(order_, better);
  }
}

// For each level of a list, takes the best groups from `first` on until its count is covered; whole
// groups only. False if there are not enough. Of alternative slots, the last one says how many are
// enough.
bool FlexibleTraverser::choose(const Siblings& siblings, std::size_t first, bool top) {
  std::uint32_t slots_left = siblings.slots;
  for (const Level& level : levels(siblings)) {
    if (level.slot && --slots_left > 0) continue;
    order_type(level.type, first, top);
    if (policy_.visit != nullptr) visits_.order_picked(level.type, order_);
    std::int64_t units = 0;
    for (std::uint32_t g : order_) units = saturating_sum(units, arena_.groups[g].size);
    const std::int64_t count = level.count.effective(units);
    if (count == 0) return false;
    std::int64_t taken = 0;
    for (std::size_t i = 0; i < order_.size() && taken < count; ++i) {
      ChoiceGroup& group = arena_.groups[order_[i]];
      taken += group.chosen ? group.size : arena_.choose(group, count - taken);
      group.chosen = true;
    }
  }
  return true;
}

// Forms slots of a list at u, from the children of u.
void FlexibleTraverser::form(PoolId u, const Query& query, const Siblings& siblings) {
  const ChoiceArena::Marks m = arena_.marks();
  std::int64_t most = 0;  // of the last slot of the list
  for (const Level& level : levels(siblings)) {
    if (level.slot) most = level.most;
  }
  explore(u,
          {.list = siblings.inside,
           .pristine = false,
           .slots_only = false,
           .exclusive = true,
           .term = eligibility_.term_below(u, query.term),
           .depth = query.depth,
           .way = kNoPool},
          most);
  form_slots(u, siblings, m);
}

// Replaces the board from m on by the slots that can be formed of it.
void FlexibleTraverser::form_slots(PoolId u, const Siblings& siblings,
                                   const ChoiceArena::Marks& m) {
  packer_.clear();
  for (const Level& level : levels(list(siblings.inside))) {
    order_type(level.type, m.groups, false);
    packer_.begin_type(level.type);
    for (std::uint32_t group : order_) packer_.add(group);
    if (policy_.slots_reversed) packer_.put_worst_first(eligibility_.scores);
  }
  if (siblings.slots > 1) {
    form_alternatives(u, siblings);
  } else {
    const auto slot = std::ranges::find(levels(siblings), true, &Level::slot);
    if (packer_.begin_slot(*eligibility_.request, *slot, graph_)) {
      while (form_slot(u, *slot)) {
      }
    }
  }
  packer_.finish(m);
}

// Forms one slot; false if there is not enough left. A visiting policy changes its score, or refuses it.
bool FlexibleTraverser::form_slot(PoolId u, const Level& slot) {
  if (!packer_.form(u)) return false;
  if (policy_.visit != nullptr && !visits_.slot(u, slot, packer_)) ++result_->refused;
  return true;
}

// Passes to or_slots_ the alternatives that can be formed at least once.
void FlexibleTraverser::list_alternatives(const Siblings& siblings) {
  alternatives_.clear();
  for (const Level& slot : levels(siblings)) {
    if (!slot.slot) continue;
    if (slot.displaced) {
      add_remark(result_->remarks, {.kind = Remark::Kind::displaced_slot});
      continue;
    }
    if (!packer_.begin_slot(*eligibility_.request, slot, graph_)) continue;
    alternatives_.push_back(&slot);
    or_slots_.add_alternative();
    for (const SlotPacker::Share& share : packer_.shares()) {
      or_slots_.add_part(share.part, share.units);
    }
  }
}

// Of alternative slots those are formed that make the most slots. All of them are formed, however
// few are wanted: the policy chooses among them.
void FlexibleTraverser::form_alternatives(PoolId u, const Siblings& siblings) {
  or_slots_.clear();
  for (std::uint32_t t = 0; t < list(siblings.inside).count; ++t) {
    sizes_.clear();
    for (std::uint32_t group : packer_.type(t)) sizes_.push_back(arena_.groups[group].size);
    if (graph_.divisible(levels(list(siblings.inside))[t].type)) {
      or_slots_.add_divided_type(std::accumulate(sizes_.begin(), sizes_.end(), std::int64_t{0}));
    } else {
      or_slots_.add_type(sizes_);
    }
  }
  list_alternatives(siblings);
  if (alternatives_.empty()) return;
  for (std::uint32_t a : or_slots_.choose(INT64_MAX)) {
    const Level& slot = *alternatives_[a];
    if (!packer_.begin_slot(*eligibility_.request, slot, graph_) || !form_slot(u, slot)) break;
  }
  if (!or_slots_.complete()) {
    add_remark(result_->remarks, {.kind = Remark::Kind::slots_not_all_tried, .pool = u});
  }
}

}  // namespace copse
