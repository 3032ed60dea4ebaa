// SPDX-License-Identifier: Apache-2.0
#include "match/simple/candidate_visitor.hpp"

#include "base/saturating.hpp"
#include "match/simple/child_search.hpp"
#include "match/simple/slot_former.hpp"

namespace copse {

// Whether layers have enough for the nodes that u adds. Takes the amounts, if the walk takes as it
// goes.
bool CandidateVisitor::take_layers(PoolId u, const Level& level, bool exclusive) {
  const ResourceGraph& graph = walk_.graph;
  const TypeId node = walk_.eligibility.node;
  LayerAvailability& layers = walk_.eligibility.availability->layers();
  auto has = [&](PoolId p) { return walk_.taking ? layers.take(p) : layers.eligible(p); };
  if (graph.type(u) == node) return has(u);
  const bool with_all = exclusive && (level.children == 0 || walk_.eligibility.taken_whole(u));
  if (!with_all || graph.leaf(u) || graph.shape(u).total(node) <= 0) return true;
  bool all = true;
  graph.preorder(u, [&](PoolId p) {
    if (graph.type(p) == node) all = all && has(p);
    return all && graph.type(p) != node && !graph.leaf(p);
  });
  return all;
}

// The same for layers and channels together.
bool CandidateVisitor::take_amounts(PoolId u, std::uint32_t level_number, const Level& level,
                                    bool exclusive) {
  Availability& availability = *walk_.eligibility.availability;
  if (availability.layered() && !take_layers(u, level, exclusive)) return false;
  if (level.charges.empty()) return true;
  return walk_.taking ? availability.take(u, level_number, level.charges)
                      : availability.eligible(u, level_number, level.charges);
}

bool CandidateVisitor::report(PoolId u, std::uint32_t level, bool exclusive, Score term) {
  const Score score = walk_.scores.own(u) + term;
  ChoiceItem item;
  if (score <= 0 || !visit(u, level, exclusive, term, item)) return false;
  const std::int64_t units = walk_.eligibility.units_of(u);
  if (walk_.graph.divisible(u)) {
    if (units <= 0) return false;
    item.set_units(units);
  }
  walk_.arena.push(score, units, walk_.graph.type(u), item);
  return true;
}

bool CandidateVisitor::visit(PoolId u, std::uint32_t level_number, bool exclusive, Score term,
                             ChoiceItem& item) {
  using Known = StartBounds::Known;
  const Known told = walk_.eligibility.bounds == nullptr
                         ? Known::nothing
                         : walk_.eligibility.bounds->known(u, level_number);
  if (told == Known::closed) return false;
  ++walk_.result.visits;
  const Level& level = walk_.level(level_number);
  const Eligibility& eligibility = walk_.eligibility;
  if (!eligibility.request->agrees(u, level) || !eligibility.is_near(u, level)) return false;
  const bool known = told == Known::open;
  if (!known && !eligibility.passable(u)) return false;  // layers are checked below
  const bool x = takes_exclusively(level, exclusive);
  if (x) {
    if (level.exclusive == Exclusivity::no) {
      add_remark(walk_.result.remarks, {.kind = Remark::Kind::exclusivity_conflict,
                                        .pool = u,
                                        .label = &eligibility.request->labels[level.label]});
      return false;
    }
    if (!known && !eligibility.idle(u)) return false;
  }
  if (!known && !eligibility.has_free(u, level.needs)) return false;
  item = {u, 0, 0, level_number, x};
  const SimpleWalk::Marks m = walk_.marks();
  if ((eligibility.availability == nullptr || take_amounts(u, level_number, level, x)) &&
      (level.children == 0 ||
       (!walk_.graph.leaf(u) &&
        choose_below(u, level, exclusive || x, eligibility.term_below(u, term), item)))) {
    return true;
  }
  walk_.rewind(m);
  return false;
}

// Finds and chooses the pools that a matched pool must have below it.
bool CandidateVisitor::choose_below(PoolId u, const Level& level, bool x, Score term,
                                    ChoiceItem& item) {
  ChoiceArena& arena = walk_.arena;
  const ChoiceArena::Marks m = arena.marks();
  if (level.slot_below) {
    slots_.gather(u, level.first, x, term);
    item.first = static_cast<std::uint32_t>(arena.chosen.size());
    if (!choose(level.first, m.groups, arena.groups.size())) return false;
  } else if (!choose_lists(u, level, x, term, item)) {
    return false;
  }
  item.count = static_cast<std::uint32_t>(arena.chosen.size()) - item.first;
  arena.drop_found(m);
  return true;
}

// All groups are gathered first: items chosen below u must be contiguous in the arena.
bool CandidateVisitor::choose_lists(PoolId u, const Level& level, bool x, Score term,
                                    ChoiceItem& item) {
  const std::size_t bounds = bounds_.size();
  for (std::uint32_t c = level.first; c < level.first + level.children; ++c) {
    bounds_.push_back(walk_.arena.groups.size());
    children_.gather(u, c, x, term, 1);
  }
  bounds_.push_back(walk_.arena.groups.size());
  item.first = static_cast<std::uint32_t>(walk_.arena.chosen.size());
  bool all = true;
  for (std::uint32_t c = 0; c < level.children && all; ++c) {
    all = choose(level.first + c, bounds_[bounds + c], bounds_[bounds + c + 1]);
  }
  bounds_.resize(bounds);
  return all;
}

bool CandidateVisitor::choose(std::uint32_t level, std::size_t first, std::size_t last) {
  const std::vector<ChoiceGroup>& groups = walk_.arena.groups;
  std::int64_t units = 0;
  for (std::size_t g = first; g < last; ++g) units = saturating_sum(units, groups[g].size);
  const std::int64_t count = walk_.level(level).count.effective(units);
  if (count == 0) return false;
  std::int64_t taken = 0;
  for (std::size_t g = first; g < last && taken < count; ++g) {
    taken += walk_.arena.choose(groups[g], count - taken);
  }
  return true;
}

}  // namespace copse
