// SPDX-License-Identifier: Apache-2.0
//
// One walk of the oracle: depth-first, children before the pools chosen above them.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "property/oracle.hpp"

namespace copse::property {

bool Oracle::allowed(const Vertex& u, const Constraint& c) const {
  using Op = Constraint::Op;
  auto holds = [&](const Constraint& operand) { return allowed(u, operand); };
  switch (c.op) {
    case Op::none: return true;
    case Op::properties:
      return std::all_of(c.words.begin(), c.words.end(), [&](const std::string& word) {
        return word[0] == '^' ? !u.properties.contains(word.substr(1))
                              : u.properties.contains(word);
      });
    case Op::hostlist: return std::find(c.words.begin(), c.words.end(), u.name) != c.words.end();
    case Op::ranks:
      return std::any_of(c.ranks.begin(), c.ranks.end(), [&](const auto& range) {
        return range.first <= u.rank && u.rank <= range.second;
      });
    case Op::all: return std::all_of(c.operands.begin(), c.operands.end(), holds);
    case Op::any:
      return c.operands.empty() || std::any_of(c.operands.begin(), c.operands.end(), holds);
    case Op::negate: return !std::all_of(c.operands.begin(), c.operands.end(), holds);
  }
  return true;
}

// The number of the node that a vertex is inside of; UINT32_MAX if there is none.
Number Oracle::node_above(const Vertex& u) const {
  Number up = u.parent;
  while (up != UINT32_MAX && vertices_[up].type != node_) up = vertices_[up].parent;
  return up;
}

bool Oracle::has_wanted(const Vertex& u) const {
  return std::any_of(wanted_.begin(), wanted_.end(),
                     [&](const std::string& word) { return u.properties.contains(word); });
}

// The properties that a constraint names for nodes to have.
void Oracle::want_properties(const Constraint& c) {
  if (c.op == Constraint::Op::negate) return;
  if (c.op == Constraint::Op::properties) {
    for (const std::string& word : c.words) {
      if (word[0] != '^') wanted_.insert(word);
    }
  }
  for (const Constraint& operand : c.operands) want_properties(operand);
}

// In which nodes devices of which types are told apart by the constraint.
void Oracle::find_typed_devices() {
  wanted_.clear();
  typed_.clear();
  want_properties(constraint_);
  for (const Vertex& u : vertices_) {
    const bool device = !u.gone && u.type != node_ && u.type != storage_node_;
    if (device && has_wanted(u) && node_above(u) != UINT32_MAX) {
      typed_.emplace(u.type, node_above(u));
    }
  }
}

// Usable, allowed, not empty and not allocated exclusively. A pool that its type makes exclusive
// must be idle, even if it is only on the path: otherwise units would be granted twice.
bool Oracle::passes(const Vertex& u) const {
  const bool constrained = u.type == node_ || u.type == storage_node_;
  if (u.size <= 0 || (constrained && !allowed(u, constraint_))) return false;
  if (!constrained && !typed_.empty() && typed_.contains({u.type, node_above(u)}) &&
      !has_wanted(u)) {
    return false;
  }
  if (mode_ == Mode::empty) return true;
  if (!usable(u.status) || overlaps(u.held, start_, end_)) return false;
  return !taken_whole(u) || u.divisible || !overlaps(u.touched, start_, end_);
}

// The units of a divisible pool that no job has at any time of [start, end).
std::int64_t Oracle::free_units(const Vertex& u, std::int64_t start, std::int64_t end) const {
  std::int64_t most = 0;
  for (const Units& begins : u.divided) {
    const std::int64_t at = std::max(begins.start, start);
    if (begins.end <= at || at >= end) continue;
    std::int64_t sum = 0;
    for (const Units& other : u.divided)
      sum += other.start <= at && at < other.end ? other.units : 0;
    most = std::max(most, sum);
  }
  return u.size - most;
}

// What a walk finds of a pool.
std::int64_t Oracle::units_here(const Vertex& u) const {
  return !u.divisible || mode_ == Mode::empty ? u.size : free_units(u, start_, end_);
}

// Moves a group, or as much as is wanted of a divisible pool, to the chosen items; returns its units.
std::int64_t Oracle::part_of(Group& group, std::int64_t wanted, std::vector<Item>& to) const {
  const bool divisible = group.items.size() == 1 && group.items[0].units == 0 &&  // no slot
                         vertices_[group.items[0].vertex].divisible;
  const std::int64_t units = divisible ? std::min(group.size, wanted) : group.size;
  to.insert(to.end(), group.items.begin(), group.items.end());
  if (divisible) to.back().units = units;
  group.size -= units;
  return units;
}

bool Oracle::taken_whole(const Vertex& u) const {
  return std::find(whole_types_.begin(), whole_types_.end(), u.type) != whole_types_.end();
}

bool Oracle::resolves(const Vertex& u, const Want& slot) const {
  return std::all_of(slot.with.begin(), slot.with.end(), [&](const Want& w) {
    return std::find(u.child_types.begin(), u.child_types.end(), w.type) != u.child_types.end();
  });
}

Score Oracle::score(Number v) const {
  const Vertex& u = vertices_[v];
  if (variation_) {  // one to four digits are a valid class
    const auto it = u.properties.find("perf_class");
    const bool is_class = it != u.properties.end() && !it->second.empty() &&
                          it->second.size() <= 4 &&
                          it->second.find_first_not_of("0123456789") == std::string::npos;
    return 1 + (is_class ? std::stol(it->second) : 9'999);
  }
  if (!dice_) return u.id + 2;
  return static_cast<Score>(v) * 7 % 11 + (u.properties.contains("fast") ? 6 : 0) -
         (u.properties.contains("slow") ? 9 : 0);
}

// Visits v for a list of vertices. False if it was rejected; else its groups, and those that it
// passes up, are in the lists.
bool Oracle::visit(Number v, const Wants& wants, Reach reach, bool exclusive, Score term,
                   Boards& boards) {
  const Vertex& u = vertices_[v];
  std::size_t hit = SIZE_MAX;
  for (std::size_t n = 0; n < wants.size(); ++n) {
    if (!wants[n].slot && wants[n].type != u.type) continue;
    if (hit != SIZE_MAX) return false;  // two vertices of the list match one pool
    hit = n;
  }
  const Want* match = hit != SIZE_MAX && !wants[hit].slot ? &wants[hit] : nullptr;
  const Want* slot = hit != SIZE_MAX && wants[hit].slot ? &wants[hit] : nullptr;
  if (match != nullptr) {
    for (const Want& w : match->with) {
      if (w.slot && slot == nullptr) slot = &w;
    }
  }
  if (slot != nullptr && !resolves(u, *slot)) slot = nullptr;
  if (slot == nullptr && match == nullptr && reach == Reach::children_only) return false;

  if (!passes(u)) return false;
  if (match != nullptr) {
    exclusive |= match->exclusive == Exclusivity::yes;
    if (exclusive && match->exclusive == Exclusivity::no) return false;
    if (exclusive && mode_ != Mode::empty && !u.divisible && overlaps(u.touched, start_, end_)) {
      return false;
    }
  }

  Score below = term;
  if (node_centric_ && u.type == node_) {
    below = (u.id + 2) * 10'000 + std::abs(static_cast<Score>(v % 10'000) - 1);
  }
  Boards found;
  if (slot != nullptr) {
    Boards inside = explore(v, slot->with, Reach::children_only, true, below,
                            effective_count(slot->count, INT64_MAX));
    std::vector<Group> slots = form_slots(*slot, std::move(inside));
    found.resize(match != nullptr ? match->with.size() : wants.size());
    const Wants& list = match != nullptr ? match->with : wants;
    for (std::size_t n = 0; n < list.size(); ++n) {
      if (&list[n] == slot) found[n] = std::move(slots);
    }
  } else if (match != nullptr) {
    // A slot that is not formed here may be formed at any level below.
    const bool gap = match->with.size() == 1 && match->with[0].slot;
    found =
        explore(v, match->with, gap ? Reach::anywhere : Reach::children_only, exclusive, below, 1);
  } else {
    found = explore(v, wants, Reach::anywhere, exclusive, below, 1);
  }

  if (match == nullptr) {
    for (std::size_t n = 0; n < wants.size(); ++n) {
      std::move(found[n].begin(), found[n].end(), std::back_inserter(boards[n]));
    }
    return true;
  }
  chosen_[v].clear();
  if (!choose(match->with, found, false, chosen_[v])) return false;
  const Score own = score(v) + term;
  const std::int64_t units = units_here(u);
  if (own > 0 && units > 0) boards[hit].push_back({own, units, {{v, exclusive, match->label}}});
  return true;
}

// Visits the children of v; under `first`, in its order and until enough are found.
Oracle::Boards Oracle::explore(Number v, const Wants& wants, Reach reach, bool exclusive,
                               Score term, std::int64_t shares_wanted) {
  Boards boards(wants.size());
  if (wants.empty()) return boards;
  std::vector<Number> order = vertices_[v].children;
  if (first_) {
    std::sort(order.begin(), order.end(), [&](Number a, Number b) {
      return std::pair{vertices_[a].weight, a} > std::pair{vertices_[b].weight, b};
    });
  }
  std::vector<std::int64_t> units(wants.size(), 0), shares(wants.size(), 0);
  for (Number child : order) {
    bool enough = false;
    for (std::size_t n = 0; n < wants.size(); ++n) {
      enough |= wants[n].type == vertices_[child].type && shares[n] >= shares_wanted;
    }
    if (first_ && enough) continue;
    std::vector<std::size_t> before;
    for (const auto& board : boards) before.push_back(board.size());
    visit(child, wants, reach, exclusive, term, boards);
    bool all = true;
    for (std::size_t n = 0; n < wants.size(); ++n) {
      for (std::size_t g = before[n]; g < boards[n].size(); ++g) {
        const std::int64_t share = effective_count(wants[n].count, INT64_MAX);
        units[n] += boards[n][g].size;
        if (units[n] < share) continue;
        const bool divisible =
            boards[n][g].items.size() == 1 && vertices_[boards[n][g].items[0].vertex].divisible;
        shares[n] += divisible && share > 0 ? units[n] / share : 1;
        units[n] = divisible && share > 0 ? units[n] % share : 0;
      }
      all &= shares[n] >= shares_wanted;
    }
    if (first_ && all) break;
  }
  return boards;
}

void Oracle::sort(std::vector<Group>& groups) const {
  std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
    return high_ ? a.score > b.score : a.score < b.score;
  });
}

// `variation` fills its slots from the other end.
void Oracle::sort_for_slot(std::vector<Group>& groups) const {
  if (!variation_) return sort(groups);
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.score > b.score; });
}

// `locality`, where the whole request is combined: by the lower end of the run of consecutive
// scores that a group is part of, highest first.
void Oracle::sort_by_locality(std::vector<Group>& groups) {
  std::map<Score, Score> low;
  for (const Group& g : groups) low[g.score] = g.score;
  for (auto& [score, lower] : low) {  // ascending
    const auto before = low.find(score - 1);
    if (before != low.end()) lower = before->second;
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const Group& a, const Group& b) { return low[a.score] > low[b.score]; });
}

// Whole groups in order, type by type, until a share is full; the excess of a share is lost.
std::vector<Oracle::Group> Oracle::form_slots(const Want& slot, Boards boards) const {
  std::vector<Group> slots;
  if (slot.with.empty()) return slots;
  std::vector<std::vector<Group>> shares(slot.with.size());
  std::size_t count = SIZE_MAX;
  for (std::size_t n = 0; n < slot.with.size(); ++n) {
    std::int64_t have = 0;
    for (const Group& g : boards[n]) have += g.size;
    const std::int64_t needed = effective_count(slot.with[n].count, have);
    if (needed == 0) return slots;
    sort_for_slot(boards[n]);
    Group share{0, 0, {}};
    std::int64_t units = 0;
    for (Group& g : boards[n]) {
      while (g.size > 0 && shares[n].size() < 1'100) {
        units += part_of(g, needed - units, share.items);
        share.score += g.score;
        if (units < needed) continue;
        shares[n].push_back(std::exchange(share, {0, 0, {}}));
        units = 0;
      }
    }
    count = std::min(count, shares[n].size());
  }
  // Of a slot with a divided type, no more are formed than are wanted.
  const auto divided = [&](const Want& w) { return divisible_types_.contains(types_[w.type]); };
  if (std::ranges::any_of(slot.with, divided)) {
    count = std::min(count, static_cast<std::size_t>(effective_count(slot.count, INT64_MAX)));
    if (std::ranges::all_of(slot.with, divided)) count = std::min<std::size_t>(count, 1'024);
  }
  for (std::size_t s = 0; s < count; ++s) {
    Group made{1, 1, {}};
    for (auto& of_type : shares) {
      Group& g = of_type[s];
      made.score += g.score;
      std::move(g.items.begin(), g.items.end(), std::back_inserter(made.items));
    }
    slots.push_back(std::move(made));
  }
  return slots;
}

// The best groups for every vertex, until its count is reached.
bool Oracle::choose(const Wants& wants, Boards& boards, bool at_root,
                    std::vector<Item>& chosen) const {
  for (std::size_t n = 0; n < wants.size(); ++n) {
    std::int64_t have = 0;
    for (const Group& g : boards[n]) have += g.size;
    const std::int64_t needed = effective_count(wants[n].count, have);
    if (needed == 0) return false;
    if (at_root && by_runs_) {
      sort_by_locality(boards[n]);
    } else {
      sort(boards[n]);
    }
    std::int64_t units = 0;
    for (Group& g : boards[n]) {
      if (units >= needed) break;
      units += part_of(g, needed - units, chosen);
    }
  }
  return true;
}

bool Oracle::select(Mode mode, std::int64_t start, std::int64_t end, Answer& answer) {
  mode_ = mode;
  start_ = start;
  end_ = end;
  answer = {};
  chosen_.assign(vertices_.size(), {});
  Boards boards(wants_.size());
  if (!visit(root_, wants_, Reach::anywhere, false, 0, boards)) return false;
  std::vector<Item> top;
  if (!choose(wants_, boards, true, top)) return false;
  marked_.clear();
  labels_.clear();
  amounts_.clear();
  for (std::size_t i = 0; i < top.size(); ++i) {  // the pools chosen below chosen ones
    marked_.emplace(top[i].vertex, top[i]);
    if (!top[i].label.empty()) labels_.emplace(top[i].vertex, top[i].label);
    if (top[i].exclusive && top[i].units > 0) amounts_[top[i].vertex] += top[i].units;
    const std::vector<Item> below = chosen_[top[i].vertex];
    top.insert(top.end(), below.begin(), below.end());
  }
  emit(answer);
  return true;
}

void Oracle::emit(Answer& answer) {
  std::vector<Number> way;
  answer.labels.assign(labels_.begin(), labels_.end());
  for (const auto& [number, item] : marked_) {
    for (Number up = vertices_[number].parent; up != UINT32_MAX; up = vertices_[up].parent) {
      way.push_back(up);
    }
  }
  for (Number up : way) marked_.emplace(up, Item{up, false, {}});
  if (!marked_.empty()) emit_below(root_, false, false, answer);
}

// A pool is in the output if it, or a pool below it, is exclusive. Pools on the path are shared;
// below an exclusive pool they are exclusive; a pool of an exclusive type is exclusive with all
// below it.
bool Oracle::emit_below(Number v, bool parent_exclusive, bool whole, Answer& answer) {
  const Vertex& u = vertices_[v];
  const auto mark = marked_.find(v);
  if (!whole && mark == marked_.end()) return false;
  const bool whole_above = whole;
  whole |= taken_whole(u);
  const bool exclusive =
      whole || parent_exclusive || (mark != marked_.end() && mark->second.exclusive);
  bool expanded = exclusive;
  for (Number child : u.children) expanded |= emit_below(child, exclusive, whole, answer);
  if (expanded) answer.pools[v] = exclusive;
  if (amounts_.contains(v) && expanded && !whole_above) answer.amounts[v] = amounts_.at(v);
  return expanded;
}

}  // namespace copse::property
