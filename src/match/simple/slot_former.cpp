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

// Adds the groups [from, to) of a type to the packing, in the order in which slots take them.
void SlotFormer::add_part(TypeId type, std::size_t from, std::size_t to) {
  const auto first = static_cast<std::uint32_t>(from), last = static_cast<std::uint32_t>(to);
  if (!walk_.policy.slots_reversed) {
    packer_.add_type(type, first, last);
    return;
  }
  packer_.begin_type(type);
  for (std::uint32_t group = first; group < last; ++group) packer_.add(group);
  packer_.put_worst_first(walk_.scores);
}

void SlotFormer::pack(PoolId u, const Level& slot, std::size_t bounds) {
  for (std::uint32_t c = 0; c < slot.children; ++c) {
    add_part(walk_.level(slot.first + c).type, bounds_[bounds + c], bounds_[bounds + c + 1]);
  }
  if (!packer_.begin_slot(*walk_.eligibility.request, slot, walk_.graph)) return;
  while (packer_.form(u)) {
  }
}

// Forms slots in order: each takes the next whole groups of every type.
void SlotFormer::form(PoolId u, std::uint32_t slot_number, Score term, std::int64_t wanted) {
  const Level& slot = walk_.level(slot_number);
  if (slot.domain != 0) return form_in_domains(u, slot_number, term, wanted);
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

// Gathers groups for the parts of a slot that are in its domain, or for the others. For each part,
// bounds_ gets the first group and the end.
void SlotFormer::gather_parts(PoolId u, const Level& slot, bool near, Score term,
                              std::int64_t wanted) {
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    if ((walk_.level(c).near != nullptr) != near) continue;
    bounds_.push_back(walk_.arena.groups.size());
    children_.gather(u, c, true, term, wanted);
    bounds_.push_back(walk_.arena.groups.size());
  }
}

// Adds what gather_parts() found, from `bound` on, to the packing. False: some part has no groups.
bool SlotFormer::add_parts(const Level& slot, bool near, std::size_t& bound) {
  bool all = true;
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    if ((walk_.level(c).near != nullptr) != near) continue;
    add_part(walk_.level(c).type, bounds_[bound], bounds_[bound + 1]);
    all = all && bounds_[bound] < bounds_[bound + 1];
    bound += 2;
  }
  return all;
}

// All groups are gathered first: a part that is not in the domain may have slots below it, and
// packings never nest.
void SlotFormer::form_in_domains(PoolId u, std::uint32_t slot_number, Score term,
                                 std::int64_t wanted) {
  Eligibility& eligibility = walk_.eligibility;
  const Level& slot = walk_.level(slot_number);
  if (walk_.graph.type(u) != eligibility.node) return;
  const auto domains = eligibility.request->domains[slot.domain - 1].of_rank(walk_.graph.rank(u));
  const SimpleWalk::Marks m = walk_.marks();
  const std::size_t bounds = bounds_.size();
  gather_parts(u, slot, false, term, wanted);
  for (const NearDomain& domain : domains) {
    eligibility.near = &domain;
    gather_parts(u, slot, true, term, wanted);
  }
  eligibility.near = nullptr;
  packer_.clear();
  std::size_t bound = bounds;
  const bool others = add_parts(slot, false, bound);
  const auto types = static_cast<std::uint32_t>((bound - bounds) / 2);
  for (std::size_t d = 0; others && d < domains.size(); ++d) {
    packer_.keep_types(types);
    if (!add_parts(slot, true, bound)) continue;
    if (!packer_.begin_slot(*eligibility.request, slot, walk_.graph)) continue;
    while (packer_.form(u)) {
    }
  }
  bounds_.resize(bounds);
  if (!packer_.finish(m.arena) && eligibility.availability != nullptr)
    eligibility.availability->undo_to(m.taken);
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
