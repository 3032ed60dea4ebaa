// SPDX-License-Identifier: Apache-2.0
//
// What a board's groups become: slots, and what is taken.
#include <algorithm>

#include <fmt/format.h>

#include "match/exhaustive/boards.hpp"
#include "match/shared/run_order.hpp"

namespace copse {

// Puts on order_ the groups of a type from `first` on, in order of preference; equal scores keep
// the order of discovery.
void Boards::sort_type(TypeId type, std::size_t first, bool top) {
  const auto begin = static_cast<std::ptrdiff_t>(order_.size());
  for (std::size_t g = first; g < groups_.size(); ++g) {
    if (groups_[g].type == type) order_.push_back(static_cast<std::uint32_t>(g));
  }
  auto score = [&](std::uint32_t g) { return groups_[g].score; };
  auto better = [&](std::uint32_t a, std::uint32_t b) {
    return probe_.scores.better(score(a), score(b));
  };
  if (top && policy_.by_runs) {
    sort_by_runs(order_.begin() + begin, order_.end(), score);
  } else if (!std::is_sorted(order_.begin() + begin, order_.end(), better)) {
    std::stable_sort(order_.begin() + begin, order_.end(), better);
  }
}

// Takes for each level of a list the best groups from `first` on, until its count is covered; whole
// groups only. False if there are not enough. Slots beside each other choose from the same groups,
// so that one group may be chosen for both.
bool Boards::choose(std::uint32_t list_number, std::size_t first, bool top) {
  const Siblings& siblings = list(list_number);
  for (std::uint32_t n = siblings.first; n < siblings.first + siblings.count; ++n) {
    const Level& wanted_level = level(n);
    order_.clear();
    sort_type(wanted_level.type, first, top);
    std::int64_t units = 0;
    for (std::uint32_t g : order_) units += groups_[g].size;
    const std::int64_t count = wanted_level.count.effective(units);
    if (count == 0) return false;
    std::int64_t taken = 0;
    for (std::uint32_t number : order_) {
      if (taken >= count) break;
      Group& group = groups_[number];
      taken += group.size;
      if (group.chosen) continue;
      group.chosen = true;
      const auto begin = items_.begin() + group.first;
      chosen_.insert(chosen_.end(), begin, begin + group.count);
    }
  }
  return true;
}

std::uint32_t Boards::type_index(TypeId type, const Siblings& inside) const {
  std::uint32_t n = 0;
  while (level(inside.first + n).type != type) ++n;
  return n;
}

// Forms one slot from the next whole groups of every type that it lists; false if there are not
// enough.
bool Boards::pack(const Level& slot, const Siblings& inside) {
  const auto first = static_cast<std::uint32_t>(slot_items_.size());
  Group formed{1, 1, first, 0, slot_, false};
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    const std::uint32_t t = type_index(level(c).type, inside);
    const std::int64_t units = level(c).count.effective(units_[t]);
    if (units == 0) return false;
    for (std::int64_t have = 0; have < units;) {
      if (next_[t] == ends_[t]) return false;
      const Group& group = groups_[order_[next_[t]++]];
      have += group.size;
      if (__builtin_add_overflow(formed.score, group.score, &formed.score)) {
        formed.score = INT64_MAX;
      }
      const auto begin = items_.begin() + group.first;
      slot_items_.insert(slot_items_.end(), begin, begin + group.count);
    }
  }
  formed.count = static_cast<std::uint32_t>(slot_items_.size()) - first;
  slot_groups_.push_back(formed);
  return true;
}

// Of alternative slots those are formed that make the most slots.
void Boards::pack_alternatives(PoolId u, const Siblings& siblings, const Siblings& inside) {
  or_slots_.clear();
  alternatives_.clear();
  for (std::uint32_t t = 0; t < inside.count; ++t) {
    sizes_.clear();
    for (std::size_t i = next_[t]; i < ends_[t]; ++i) sizes_.push_back(groups_[order_[i]].size);
    or_slots_.add_type(sizes_);
  }
  std::int64_t most = 0;
  for (std::uint32_t n = siblings.first; n < siblings.first + siblings.count; ++n) {
    const Level& slot = level(n);
    if (!slot.slot) continue;
    most = slot.most;
    if (slot.displaced) {
      remark("slots beside each other ask for different things in one type: use xor_slot");
      continue;
    }
    bool possible = true;
    for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
      const std::uint32_t t = type_index(level(c).type, inside);
      possible = possible && level(c).count.effective(units_[t]) > 0;
    }
    if (!possible) continue;
    alternatives_.push_back(&slot);
    or_slots_.add_alternative();
    for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
      const std::uint32_t t = type_index(level(c).type, inside);
      or_slots_.add_part(t, level(c).count.effective(units_[t]));
    }
  }
  if (alternatives_.empty()) return;
  for (std::uint32_t a : or_slots_.choose(most)) {
    if (!pack(*alternatives_[a], inside)) break;
  }
  if (or_slots_.complete()) return;
  remark(fmt::format("slots at {}: more than {} ways to form them, not all were tried",
                     graph_.path(u, graph_.dominant()), OrSlots::kStatesMax));
}

// Replaces the board from m on by the slots that can be formed from it.
void Boards::form_slots(PoolId u, const Siblings& siblings, const Marks& m) {
  const Siblings& inside = list(siblings.inside);
  order_.clear();
  next_.clear();
  ends_.clear();
  units_.clear();
  for (std::uint32_t n = inside.first; n < inside.first + inside.count; ++n) {
    next_.push_back(order_.size());
    sort_type(level(n).type, m.groups, false);
    if (policy_.slots_reversed) {
      std::stable_sort(order_.begin() + static_cast<std::ptrdiff_t>(next_.back()), order_.end(),
                       [&](std::uint32_t a, std::uint32_t b) {
                         return probe_.scores.better(groups_[b].score, groups_[a].score);
                       });
    }
    ends_.push_back(order_.size());
    units_.push_back(0);
    for (std::size_t i = next_.back(); i < order_.size(); ++i) {
      units_.back() += groups_[order_[i]].size;
    }
  }
  slot_groups_.clear();
  slot_items_.clear();
  if (siblings.slots > 1) {
    pack_alternatives(u, siblings, inside);
  } else {
    std::uint32_t n = siblings.first;
    while (!level(n).slot) ++n;
    while (pack(level(n), inside)) {
    }
  }
  groups_.resize(m.groups);
  items_.resize(m.items);
  for (Group group : slot_groups_) {
    const auto begin = slot_items_.begin() + group.first;
    const auto count = static_cast<std::ptrdiff_t>(group.count);
    group.first = static_cast<std::uint32_t>(items_.size());
    items_.insert(items_.end(), begin, begin + count);
    groups_.push_back(group);
  }
}

}  // namespace copse
