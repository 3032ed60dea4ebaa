// SPDX-License-Identifier: Apache-2.0
//
// ChoiceArena: the pools that a walk found and chose, in three arrays. A group is a unit of choice:
// one pool, or a slot of several. Each group has a range of items. Each chosen item has a range of
// `chosen`: the pools chosen below it. A failed visit rewinds the arrays to where it began.
//
// Invariants: groups and items are stacks; `chosen` grows until a visit fails; ranges are inside
// their arrays. Size: 32 bytes per group, 20 per item. Nothing is allocated once they are large
// enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/saturating.hpp"
#include "copse/ids.hpp"
#include "copse/policy.hpp"
#include "match/shared/selection_builder.hpp"

namespace copse {

// A pool with the range of `chosen` below it; or a run of leaves; or units of a divisible pool.
struct ChoiceItem {
  PoolId pool;
  std::uint32_t first, count;
  std::uint32_t level;  // of the request
  bool exclusive : 1;
  bool begins_slot : 1 = false;  // the first item of a slot
  bool divided : 1 = false;      // units of a divisible pool: `first` and `count` are their number
  std::uint32_t more : 29 = 0;   // leaves that follow `pool` and are chosen with it

  [[nodiscard]] std::int64_t units() const {  // REQUIRES divided
    return static_cast<std::int64_t>(std::uint64_t{count} << 32 | first);
  }
  void set_units(std::int64_t units) {
    divided = true;
    first = static_cast<std::uint32_t>(units);
    count = static_cast<std::uint32_t>(static_cast<std::uint64_t>(units) >> 32);
  }
};
static_assert(sizeof(ChoiceItem) == 20);

struct ChoiceGroup {
  Score score;
  std::int64_t size;           // units; a slot has 1
  std::uint32_t first, count;  // of the items
  TypeId type;
  bool chosen = false;
  std::uint32_t place;  // the pool where it was found
};
static_assert(sizeof(ChoiceGroup) == 32);

// Counts sizes up to `wanted` shares of at least `most` units each.
struct ShareCount {
  std::int64_t most, wanted;
  bool divided = false;  // the units of one pool may be in several shares
  std::int64_t units = 0, found = 0;

  [[nodiscard]] bool full() const { return found >= wanted; }
  // True if all shares are complete. The excess of a share is not carried over.
  bool add(std::int64_t size) {
    if (__builtin_add_overflow(units, size, &units)) units = INT64_MAX;
    if (units < most) return false;
    if (divided && most > 0) {
      found = saturating_sum(found, units / most);
      units %= most;
      return full();
    }
    units = 0;
    return ++found >= wanted;
  }
};

struct ChoiceArena {
  struct Marks {
    std::size_t groups, items, chosen;
  };
  std::vector<ChoiceGroup> groups;
  std::vector<ChoiceItem> items, chosen;

  [[nodiscard]] Marks marks() const { return {groups.size(), items.size(), chosen.size()}; }
  void rewind(const Marks& m) {
    chosen.resize(m.chosen);
    drop_found(m);
  }
  // Drops found groups, but keeps chosen items.
  void drop_found(const Marks& m) {
    groups.resize(m.groups);
    items.resize(m.items);
  }
  void push(Score score, std::int64_t size, TypeId type, const ChoiceItem& item) {
    groups.push_back(
        {score, size, static_cast<std::uint32_t>(items.size()), 1, type, false, item.pool.v});
    items.push_back(item);
  }
  // Chooses a group or, if it is units of a divisible pool, at most `units` of them. Returns the
  // units chosen.
  std::int64_t choose(const ChoiceGroup& group, std::int64_t units) {
    if (group.count == 1 && items[group.first].divided && units < group.size) {
      chosen.push_back(items[group.first]);
      chosen.back().set_units(units);
      return units;
    }
    choose(group);
    return group.size;
  }
  void choose(const ChoiceGroup& group) {
    for (std::uint32_t i = group.first; i < group.first + group.count; ++i) {
      chosen.push_back(items[i]);
    }
  }
  // Passes the chosen items from `first` on, with all below them, to the builder; returns the number
  // of slots among them. The depth is that of the request.
  std::int64_t collect(std::size_t first, std::size_t count, const Eligibility& eligibility,
                       SelectionBuilder& builder, ChargedPools& charged) const;
  // Whether all ranges lie inside. O(groups + items).
  [[nodiscard]] bool check() const;
};

}  // namespace copse
