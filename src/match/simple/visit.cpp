// SPDX-License-Identifier: Apache-2.0
//
// One pool: may it be taken, and what is chosen below it.
#include <algorithm>

#include <fmt/format.h>

#include "match/simple/matcher.hpp"

namespace copse {

void Matcher::rewind(const Marks& m) {
  groups_.resize(m.groups);
  items_.resize(m.items);
  chosen_.resize(m.chosen);
  if (probe_.offer != nullptr) probe_.offer->undo_to(m.taken);
  if (probe_.channels != nullptr) probe_.channels->undo_to(m.drawn);
}

// Whether the supply has what the nodes that come with u need: takes it, if nodes are taken.
bool Matcher::take_supply(PoolId u, const Level& level, bool exclusive) {
  Offer& offer = *probe_.offer;
  auto has = [&](PoolId node) { return taking_ ? offer.take(node) : offer.eligible(node); };
  if (graph_.type(u) == probe_.node) return has(u);
  const bool with_all = exclusive && (level.children == 0 || probe_.taken_whole(u));
  if (!with_all || graph_.leaf(u) || graph_.shape(u).total(probe_.node) <= 0) return true;
  bool all = true;
  graph_.preorder(u, [&](PoolId p) {
    if (graph_.type(p) == probe_.node) all = all && has(p);
    return all && graph_.type(p) != probe_.node && !graph_.leaf(p);
  });
  return all;
}

// The same of what u draws along auxiliary subsystems.
bool Matcher::draw(PoolId u, std::uint32_t level_number, const Level& level) {
  return drawing_ ? probe_.channels->take(u, level_number, level.draws)
                  : probe_.channels->eligible(u, level_number, level.draws);
}

void Matcher::push_group(PoolId u, std::uint32_t level, Score term, const Item& item) {
  groups_.push_back({scores_.own(u) + term, graph_.size(u),
                     static_cast<std::uint32_t>(items_.size()), 1, level, u.v});
  items_.push_back(item);
}

// Visits u as a candidate for a level of its type. On success `item` is u with what was chosen
// below; on failure everything is as before.
bool Matcher::visit(PoolId u, std::uint32_t level_number, bool exclusive, Score term, Item& item) {
  using Known = Openings::Known;
  const Known told = openings_ == nullptr ? Known::nothing : openings_->known(u, level_number);
  if (told == Known::closed) return false;
  ++visits_;
  const Level& level = probe_.request->levels[level_number];
  const bool known = told == Known::open;
  if (!known && !probe_.passable(u)) return false;  // the supply is asked below
  const bool x = takes_exclusively(level, exclusive);
  if (x) {
    if (level.exclusive == Exclusivity::no) {
      if (remarks_.size() < 16) {
        remarks_.push_back(fmt::format("by_excl: exclusivity conflicts at jobspec={} : vertex={}",
                                       probe_.request->labels[level.label], graph_.name(u)));
      }
      return false;
    }
    if (!known && !probe_.idle(u)) return false;
  }
  if (!known && !probe_.offers(u, level.needs)) return false;
  item = {u, 0, 0, level_number, x};
  const Marks m = marks();
  if (probe_.offer != nullptr && !take_supply(u, level, x)) {
    rewind(m);
    return false;
  }
  if (!level.draws.empty() && probe_.channels != nullptr && !draw(u, level_number, level)) {
    rewind(m);
    return false;
  }
  if (level.children == 0) return true;
  if (!graph_.leaf(u) && choose_below(u, level, exclusive || x, probe_.term_below(u, term), item))
    return true;
  rewind(m);
  return false;
}

// Finds and chooses what a matched pool must have below it.
bool Matcher::choose_below(PoolId u, const Level& level, bool x, Score term, Item& item) {
  const Marks m = marks();
  if (level.slot_below) {
    const Level& slot = probe_.request->levels[level.first];
    if (probe_.resolves(u, slot)) {
      form_slots(u, level.first, term, slots_wanted(u, slot, false));
      sort_groups(m.groups, groups_.size());
    } else {
      gather_slots(u, level.first, x, term);
    }
    item.first = static_cast<std::uint32_t>(chosen_.size());
    if (!choose(level.first, m.groups, groups_.size())) return false;
  } else {
    // All are gathered first: what is chosen below u must stand together in chosen_.
    const std::size_t bounds = shares_.size();
    for (std::uint32_t c = level.first; c < level.first + level.children; ++c) {
      shares_.push_back(groups_.size());
      gather(u, c, x, term, 1);
    }
    shares_.push_back(groups_.size());
    item.first = static_cast<std::uint32_t>(chosen_.size());
    bool all = true;
    for (std::uint32_t c = 0; c < level.children && all; ++c) {
      all = choose(level.first + c, shares_[bounds + c], shares_[bounds + c + 1]);
    }
    shares_.resize(bounds);
    if (!all) return false;
  }
  item.count = static_cast<std::uint32_t>(chosen_.size()) - item.first;
  groups_.resize(m.groups);
  items_.resize(m.items);
  return true;
}

// Takes the best groups of [first, last), which stand in order of preference, until the level's
// count is covered; whole groups only. False if there are not enough.
bool Matcher::choose(std::uint32_t level_number, std::size_t first, std::size_t last) {
  const Level& level = probe_.request->levels[level_number];
  std::int64_t units = 0;
  for (std::size_t g = first; g < last; ++g) units += groups_[g].size;
  const std::int64_t count = level.count.effective(units);
  if (count == 0) return false;
  std::int64_t taken = 0;
  for (std::size_t g = first; g < last && taken < count; ++g) {
    const Group group = groups_[g];
    for (std::uint32_t i = group.first; i < group.first + group.count; ++i) {
      chosen_.push_back(items_[i]);
    }
    taken += group.size;
  }
  return true;
}

}  // namespace copse
