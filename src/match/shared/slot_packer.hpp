// SPDX-License-Identifier: Apache-2.0
//
// SlotPacker: forms slots at one pool, each from the next whole groups of every type that the slot
// lists, in order of preference.
//
// Invariants: packings never nest. The arena keeps its groups until finish(). Size: 8 bytes per
// group. Nothing is allocated once the arrays are large enough.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/graph.hpp"
#include "match/shared/choice_arena.hpp"

namespace copse {

// A group of the arena in a slot, with the units that the slot has of it.
struct UsedGroup {
  std::uint32_t group;
  std::int64_t units;
};

class SlotPacker {
 public:
  static constexpr std::int64_t kMostDivided = 1'024;
  explicit SlotPacker(ChoiceArena& arena) : arena_(arena) {}

  void clear() {
    order_.clear();
    parts_.clear();
    formed_.clear();
    items_.clear();
  }
  // Adds a type with its groups of the arena, [first, last), in order of preference.
  void add_type(TypeId type, std::uint32_t first, std::uint32_t last) {
    Part part{type, false, first, last, 0};
    for (std::uint32_t g = first; g < last; ++g) part.units += arena_.groups[g].size;
    parts_.push_back(part);
  }
  // Begins a type whose groups follow by add(), in order of preference.
  void begin_type(TypeId type) {
    const auto at = static_cast<std::uint32_t>(order_.size());
    parts_.push_back({type, true, at, at, 0});
  }
  void add(std::uint32_t group) {
    order_.push_back(group);
    Part& part = parts_.back();
    ++part.end;
    part.units += arena_.groups[group].size;
  }
  // Drops the last types, so that this many stay: others of the same types may follow.
  void keep_types(std::uint32_t count) { parts_.resize(count); }
  // Reverses the order of the last type; equal scores keep the order of discovery. REQUIRES of this
  // and of type() that the type was begun by begin_type().
  void put_worst_first(const Scores& scores);
  [[nodiscard]] std::span<const std::uint32_t> type(std::uint32_t number) const {
    return std::span(order_).subspan(parts_[number].next, parts_[number].end - parts_[number].next);
  }
  // The share of one slot in a type.
  struct Share {
    std::uint32_t part;  // number of the type, in the order in which they began
    std::int64_t units;
  };
  // Sets the kind of slot to form next; false if some type has too little for one. REQUIRES that all
  // types of the slot were added.
  bool begin_slot(const CompiledRequest& request, const Level& slot, const ResourceGraph& graph);
  [[nodiscard]] std::span<const Share> shares() const { return shares_; }
  // Forms one slot found at `place`; false if there is not enough left. Of a slot with a divisible
  // type, no more are formed than the request wants; of one that has nothing else, kMostDivided:
  // memory in MB may be enough for a million.
  bool form(PoolId place);
  // The slot that was formed last: its groups of the arena, its score.
  [[nodiscard]] std::span<const UsedGroup> used() const { return used_; }
  [[nodiscard]] Score score() const { return formed_.back().score; }
  void set_score(Score score) { formed_.back().score = score; }
  // Drops it: another may be formed instead, but not of its groups.
  void refuse();
  // Replaces all groups of the arena from m on by the slots. False if there are none.
  bool finish(const ChoiceArena::Marks& m);

 private:
  struct Part {
    TypeId type;
    bool listed;              // in order_; else consecutive groups of the arena
    std::uint32_t next, end;  // of order_, or groups
    std::int64_t units;
  };

  ChoiceArena& arena_;
  std::vector<std::uint32_t> order_;
  std::vector<Part> parts_;
  std::vector<Share> shares_;
  TypeId slot_type_{};
  std::int64_t wanted_ = 0, tries_ = 0;  // slots that may still be formed; with those refused
  std::vector<ChoiceGroup> formed_;
  std::vector<ChoiceItem> items_;
  std::vector<UsedGroup> used_;
};

}  // namespace copse
