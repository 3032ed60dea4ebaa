// SPDX-License-Identifier: Apache-2.0
#include "match/simple/slot_former.hpp"

#include <algorithm>

#include "match/simple/child_search.hpp"
#include "match/simple/pass_through.hpp"

namespace copse {

// How many slots must be formed at u to include the best ones. If pools of a type differ in size,
// so do the numbers of groups of a slot, and a later slot may score better than an earlier one. In
// this case, and if all groups are compared or the best come last, every slot is formed.
std::int64_t SlotFormer::wanted_at(PoolId u, const Level& slot, Wanted wanted) const {
  if (walk_.policy.first_found) return slot.most;
  if (wanted.all || walk_.policy.slots_reversed) return Count::kUnlimited;
  bool divided = false;
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    if (walk_.graph.divisible(walk_.level(c).type)) {
      divided = true;
      continue;
    }
    std::int64_t size = 0;
    for (const ChildRun& run : walk_.graph.shape(u).runs) {
      if (run.type != walk_.level(c).type) continue;
      if (run.size < 0 || (size != 0 && size != run.size)) return Count::kUnlimited;
      size = run.size;
    }
  }
  // Of divided pools, a later slot may score better, too: but no more are formed (slot_packer.hpp).
  return divided ? slot.most : std::min(slot.most, wanted.better);
}

void SlotFormer::pack(PoolId u, const Level& slot, std::size_t bounds) {
  for (std::uint32_t c = 0; c < slot.children; ++c) {
    const TypeId type = walk_.level(slot.first + c).type;
    const auto first = static_cast<std::uint32_t>(bounds_[bounds + c]);
    const auto last = static_cast<std::uint32_t>(bounds_[bounds + c + 1]);
    if (!walk_.policy.slots_reversed) {
      packer_.add_type(type, first, last);
      continue;
    }
    packer_.begin_type(type);
    for (std::uint32_t group = first; group < last; ++group) packer_.add(group);
    packer_.put_worst_first(walk_.scores);
  }
  if (!packer_.begin_slot(*walk_.eligibility.request, slot, walk_.graph)) return;
  while (packer_.form(u)) {
  }
}

// Forms slots in order: each takes the next whole groups of every type.
void SlotFormer::form(PoolId u, std::uint32_t slot_number, Score term, std::int64_t wanted) {
  const Level& slot = walk_.level(slot_number);
  const SimpleWalk::Marks m = walk_.marks();
  const std::vector<ChoiceGroup>& groups = walk_.arena.groups;
  const std::size_t bounds = bounds_.size();
  bounds_.push_back(groups.size());
  bool all = true;  // whether there are groups of every type
  for (std::uint32_t c = slot.first; c < slot.first + slot.children && all; ++c) {
    children_.gather(u, c, true, term, wanted);
    all = groups.size() > bounds_.back();
    bounds_.push_back(groups.size());
  }
  packer_.clear();
  if (all) pack(u, slot, bounds);
  bounds_.resize(bounds);
  if (!packer_.finish(m.arena) && walk_.eligibility.availability != nullptr)
    walk_.eligibility.availability->undo_to(m.taken);
}

void SlotFormer::form_at(PoolId u, std::uint32_t slot_number, Score term, Wanted wanted) {
  ++walk_.result.visits;
  const Level& slot = walk_.level(slot_number);
  if (!walk_.eligibility.open(u) || !walk_.eligibility.has_free(u, slot.needs)) return;
  form(u, slot_number, walk_.eligibility.term_below(u, term), wanted_at(u, slot, wanted));
}

void SlotFormer::gather(PoolId u, std::uint32_t slot_number, bool exclusive, Score term) {
  const std::size_t first = walk_.arena.groups.size();
  const Level& slot = walk_.level(slot_number);
  if (walk_.eligibility.resolves(u, slot)) {
    form(u, slot_number, term, wanted_at(u, slot, {}));
  } else {
    passing_.find_slots(u, slot_number, exclusive, term);
  }
  walk_.sort_groups(first, walk_.arena.groups.size());
}

}  // namespace copse
