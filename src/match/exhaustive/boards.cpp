// SPDX-License-Identifier: Apache-2.0
#include "match/exhaustive/boards.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace copse {

Boards::Boards(const Probe& probe, State& state, const Policy& policy, Exploration& exploration)
    : probe_(probe),
      graph_(probe.graph),
      state_(state),
      policy_(policy),
      exploration_(exploration),
      slot_(graph_.find_type("slot")),
      ways_(probe.ways) {}

// Where the choice for the top level begins in chosen_, which ends with it; none: nothing is found.
std::optional<std::size_t> Boards::walk(Again again) {
  again_ = again;
  met_again_ = false;
  groups_.clear();
  items_.clear();
  chosen_.clear();
  moved_.clear();
  entered_.clear();
  if (ways_ != nullptr) ways_->begin();
  visit(graph_.root(), {.list = 0,
                        .pristine = true,
                        .slots_only = false,
                        .exclusive = false,
                        .term = 0,
                        .depth = 0,
                        .way = kNoPool});
  const std::size_t own = chosen_.size();
  if (!choose(0, 0, true)) return std::nullopt;
  return own;
}

bool Boards::select(Selection& out) {
  out.clear();
  visits_ = 0;
  remarks_.clear();
  drawn_.clear();
  auto own = walk(Again::never);
  if (!own && met_again_) own = walk(Again::in_vain);
  if (!own) return false;
  picked_.clear();
  for (std::size_t i = *own; i < chosen_.size(); ++i) collect(chosen_[i]);
  std::sort(moved_.begin(), moved_.end());
  picked_.finish(probe_, out, moved_);
  return true;
}

bool Boards::may_select() {
  visits_ = 0;
  return walk(Again::always).has_value() || visits_ >= kRevisitsMax;
}

// Depth is bounded by that of the request.
void Boards::collect(const Item& item) {
  const Level& own = level(item.level);
  picked_.add(graph_, item.pool, own.label, item.exclusive);
  if (!own.draws.empty()) drawn_.push_back({item.pool, item.level, own.draws});
  for (std::uint32_t i = item.first; i < item.first + item.count; ++i) collect(chosen_[i]);
}

void Boards::rewind(const Marks& m) {
  groups_.resize(m.groups);
  items_.resize(m.items);
  chosen_.resize(m.chosen);
}

void Boards::remark(std::string text) {
  if (remarks_.size() >= 16) return;
  if (std::find(remarks_.begin(), remarks_.end(), text) != remarks_.end()) return;
  remarks_.push_back(std::move(text));
}

// The level of the list that u's type is; -1 if none.
int Boards::match(PoolId u, const Asked& asked) const {
  if (asked.slots_only) return -1;
  const Siblings& siblings = list(asked.list);
  for (std::uint32_t n = siblings.first; n < siblings.first + siblings.count; ++n) {
    if (!level(n).slot && level(n).type == graph_.type(u)) return static_cast<int>(n);
  }
  return -1;
}

// Whether one of the list's slots can be formed at u.
bool Boards::slot_resolves(PoolId u, const Siblings& siblings) const {
  if (siblings.slots == 0) return false;
  for (std::uint32_t n = siblings.first; n < siblings.first + siblings.count; ++n) {
    if (level(n).slot && probe_.resolves(u, level(n))) return true;
  }
  return false;
}

// Whether u has what one of the list's slots needs.
bool Boards::slot_offered(PoolId u, const Siblings& siblings) const {
  for (std::uint32_t n = siblings.first; n < siblings.first + siblings.count; ++n) {
    if (level(n).slot && offers(u, level(n).needs)) return true;
  }
  return false;
}

// The totals of a pool are those of the tree: with further ways they say nothing.
bool Boards::offers(PoolId u, const std::vector<Need>& needs) const {
  return (ways_ != nullptr && graph_.further_below(u)) || probe_.offers(u, needs);
}

// A pool counts as visited once it is not refused for what it is.
void Boards::enter(PoolId u, const Asked& asked) {
  if (ways_ == nullptr || again_ == Again::always) return;
  ways_->enter(u);
  entered_.push_back(u);
  if (asked.way != kNoPool) moved_.emplace_back(u, asked.way);
}

// Whether something that is asked for may be below u.
bool Boards::may_hold(PoolId u, const Asked& asked) const {
  if (ways_ != nullptr && graph_.further_below(u)) return true;
  const Siblings& siblings = list(asked.list);
  for (std::uint32_t n = siblings.first; n < siblings.first + siblings.count; ++n) {
    if (asked.slots_only && !level(n).slot) continue;
    if (probe_.may_hold(u, level(n)) && probe_.offers(u, level(n).needs)) return true;
  }
  return false;
}

// Pushes what u passes up, and u itself, if it is among what is asked for.
void Boards::visit(PoolId u, const Asked& asked) {
  if (asked.depth >= kDepthMax) return;
  ++visits_;
  if (again_ == Again::always && visits_ >= kRevisitsMax) return;
  if (ways_ != nullptr && !ways_->fresh(u)) {
    met_again_ = true;
    return;
  }
  if (!probe_.open(u)) return;
  const std::size_t groups = groups_.size(), entered = entered_.size(), moved = moved_.size();
  visit_open(u, asked);
  if (again_ != Again::in_vain || groups_.size() != groups) return;
  while (entered_.size() > entered) {
    ways_->leave(entered_.back());
    entered_.pop_back();
  }
  moved_.resize(moved);
}

void Boards::visit_open(PoolId u, const Asked& asked) {
  const int own = match(u, asked);
  const Siblings& siblings = list(asked.list);
  const bool slot = slot_resolves(u, siblings);
  if (own >= 0 && slot) {
    remark(fmt::format("test: siblings in jobspec request same resource type : {}.",
                       graph_.type_name(u)));
  } else if (own >= 0) {
    visit_match(u, asked, static_cast<std::uint32_t>(own));
  } else if (slot) {
    if (!slot_offered(u, siblings)) return;
    enter(u, asked);
    form(u, asked, asked.list);
  } else if (asked.pristine || siblings.slots > 0) {
    pass_through(u, asked);
  }
}

// Levels that the request does not name: any at its top; below a match only those on the way to a
// slot. (The reference finds such slots, and then loses what lies between.)
void Boards::pass_through(PoolId u, const Asked& asked) {
  if (leaf(u) || !may_hold(u, asked)) return;
  enter(u, asked);
  Asked below = asked;
  below.slots_only = !asked.pristine;
  below.term = probe_.term_below(u, asked.term);
  explore(u, below, 1);
}

// Whether u may be taken as the level asks for it.
bool Boards::agrees(PoolId u, const Level& level, bool exclusive) {
  if (exclusive && level.exclusive == Exclusivity::no) {
    remark(fmt::format("by_excl: exclusivity conflicts at jobspec={} : vertex={}",
                       probe_.request->labels[level.label], graph_.name(u)));
    return false;
  }
  if (exclusive && !probe_.idle(u)) return false;
  return offers(u, level.needs) && probe_.may_draw(u, level);
}

void Boards::visit_match(PoolId u, const Asked& asked, std::uint32_t level_number) {
  const Level& own = level(level_number);
  const Score score = probe_.scores.own(u) + asked.term;
  const bool exclusive = takes_exclusively(own, asked.exclusive);
  if (score <= 0 || !agrees(u, own, exclusive)) return;
  enter(u, asked);
  Item item{u, 0, 0, level_number, exclusive};
  if (own.children > 0) {
    if (leaf(u)) return;
    const Marks m = marks();
    Asked below = asked;
    below.list = own.list;
    below.pristine = false;
    below.exclusive = asked.exclusive || exclusive;
    if (slot_resolves(u, list(own.list))) {
      if (slot_offered(u, list(own.list))) form(u, below, own.list);
    } else {
      below.term = probe_.term_below(u, asked.term);
      explore(u, below, 1);
    }
    item.first = static_cast<std::uint32_t>(chosen_.size());
    if (!choose(own.list, m.groups, false)) return rewind(m);
    item.count = static_cast<std::uint32_t>(chosen_.size()) - item.first;
    groups_.resize(m.groups);
    items_.resize(m.items);
  }
  groups_.push_back(
      {score, graph_.size(u), static_cast<std::uint32_t>(items_.size()), 1, own.type, false});
  items_.push_back(item);
}

// Forms slots of a list at u: what they take is looked for among u's children.
void Boards::form(PoolId u, const Asked& asked, std::uint32_t list_number) {
  const Marks m = marks();
  const Siblings& siblings = list(list_number);
  std::int64_t most = 0;  // of the last slot of the list
  for (std::uint32_t n = siblings.first; n < siblings.first + siblings.count; ++n) {
    if (level(n).slot) most = level(n).most;
  }
  explore(u,
          {.list = siblings.inside,
           .pristine = false,
           .slots_only = false,
           .exclusive = true,
           .term = probe_.term_below(u, asked.term),
           .depth = asked.depth,
           .way = kNoPool},
          most);
  form_slots(u, siblings, m);
}

}  // namespace copse
