// SPDX-License-Identifier: Apache-2.0
#include "match/shared/slot_packer.hpp"

#include <algorithm>
#include <cassert>

namespace copse {

void SlotPacker::put_worst_first(const Scores& scores) {
  std::stable_sort(order_.begin() + parts_.back().next, order_.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return scores.better(arena_.groups[b].score, arena_.groups[a].score);
                   });
}

bool SlotPacker::begin_slot(const CompiledRequest& request, const Level& slot,
                            const ResourceGraph& graph) {
  slot_type_ = slot.type;
  wanted_ = tries_ = Count::kUnlimited;
  bool bounded = false;  // by the number of pools
  shares_.clear();
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    const Level& level = request.levels[c];
    std::uint32_t part = 0;
    while (part < parts_.size() && parts_[part].type != level.type) ++part;
    assert(part < parts_.size());
    shares_.push_back({part, level.count.effective(parts_[part].units)});
    if (shares_.back().units == 0) return false;
    if (graph.divisible(level.type)) {
      wanted_ = slot.most;
    } else {
      bounded = true;
    }
  }
  if (!bounded) tries_ = kMostDivided;
  return true;
}

bool SlotPacker::form(PoolId place) {
  if (wanted_ == 0 || tries_ == 0) return false;
  const auto first = static_cast<std::uint32_t>(items_.size());
  ChoiceGroup slot{1, 1, first, 0, slot_type_, false, place.v};
  used_.clear();
  for (const Share& share : shares_) {
    Part& part = parts_[share.part];
    for (std::int64_t have = 0; have < share.units;) {
      if (part.next == part.end) {
        items_.resize(first);
        return false;
      }
      const std::uint32_t number = part.listed ? order_[part.next] : part.next;
      ChoiceGroup& group = arena_.groups[number];
      if (__builtin_add_overflow(slot.score, group.score, &slot.score)) slot.score = INT64_MAX;
      if (group.count == 1 && arena_.items[group.first].divided) {
        const std::int64_t units = std::min(group.size, share.units - have);
        items_.push_back(arena_.items[group.first]);
        items_.back().set_units(units);
        group.size -= units;  // the rest is for the next slot
        if (group.size == 0) ++part.next;
        used_.push_back({number, units});
        have += units;
        continue;
      }
      ++part.next;
      used_.push_back({number, group.size});
      have += group.size;
      for (std::uint32_t i = group.first; i < group.first + group.count; ++i) {
        items_.push_back(arena_.items[i]);
      }
    }
  }
  slot.count = static_cast<std::uint32_t>(items_.size()) - first;
  if (slot.count > 0) items_[first].begins_slot = true;
  formed_.push_back(slot);
  --wanted_;
  --tries_;
  return true;
}

void SlotPacker::refuse() {
  items_.resize(formed_.back().first);
  formed_.pop_back();
  ++wanted_;
}

bool SlotPacker::finish(const ChoiceArena::Marks& m) {
  arena_.drop_found(m);
  const auto base = static_cast<std::uint32_t>(arena_.items.size());
  for (ChoiceGroup& slot : formed_) {
    slot.first += base;
    arena_.groups.push_back(slot);
  }
  for (const ChoiceItem& item : items_) arena_.items.push_back(item);
  return !formed_.empty();
}

}  // namespace copse
