// SPDX-License-Identifier: Apache-2.0
//
// Slots: not pools, but formed at a pool that has children of every type that the slot lists.
#include <algorithm>

#include "match/simple/matcher.hpp"

namespace copse {

// How many slots must be formed at u so that the best of them are among those formed. When pools of
// a type differ in size, so do the numbers of groups of a slot, and a later slot may score better
// than an earlier one: then, and where all groups are compared (`all`) or the best of them go last,
// every slot is formed.
std::int64_t Matcher::slots_wanted(PoolId u, const Level& slot, bool all) const {
  if (policy_.first_found) return slot.most;
  if (all || policy_.slots_reversed) return Count::kUnlimited;
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    std::int64_t size = 0;
    for (const ChildRun& run : graph_.shape(u).runs) {
      if (run.type != probe_.request->levels[c].type) continue;
      if (run.size < 0 || (size != 0 && size != run.size)) return Count::kUnlimited;
      size = run.size;
    }
  }
  return slot.most;
}

// Moves the groups from `at` on that make one share to slot_items_; adds their scores to the slot.
bool Matcher::fill_share(std::size_t& at, std::size_t end, std::int64_t units) {
  std::int64_t have = 0;
  while (have < units) {
    if (at == end) return false;
    const Group& g = groups_[at++];
    have += g.size;
    Score& score = slot_groups_.back().score;
    if (__builtin_add_overflow(score, g.score, &score)) score = INT64_MAX;
    for (std::uint32_t i = g.first; i < g.first + g.count; ++i) slot_items_.push_back(items_[i]);
  }
  return true;
}

// Forms slots at u and pushes them as groups, in the order they are formed: each takes the next
// whole groups of every type, in order of preference.
void Matcher::form_slots(PoolId u, std::uint32_t slot_number, Score term, std::int64_t wanted) {
  const Level& slot = probe_.request->levels[slot_number];
  const Marks m = marks();
  const std::size_t bounds = shares_.size();  // per type: where its groups begin; then the end
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    shares_.push_back(groups_.size());
    gather(u, c, true, term, wanted);
    if (groups_.size() == shares_.back()) break;  // none of this type: no slot
    if (policy_.slots_reversed) sort_reversed(shares_.back(), groups_.size());
  }
  shares_.push_back(groups_.size());

  slot_groups_.clear();
  slot_items_.clear();
  bool more = shares_.size() - bounds == slot.children + 1u;
  const std::size_t units = shares_.size();  // per type: units of a share
  for (std::uint32_t c = 0; c < slot.children && more; ++c) {
    std::int64_t have = 0;
    const std::size_t end = shares_[bounds + c + 1];
    for (std::size_t g = shares_[bounds + c]; g < end; ++g) have += groups_[g].size;
    shares_.push_back(
        static_cast<std::size_t>(probe_.request->levels[slot.first + c].count.effective(have)));
    more = shares_.back() != 0;
  }
  const std::size_t ends = shares_.size();  // per type: where its groups end
  for (std::uint32_t c = 0; c < slot.children && more; ++c) {
    shares_.push_back(shares_[bounds + c + 1]);
  }
  while (more) {
    const auto first = static_cast<std::uint32_t>(slot_items_.size());
    slot_groups_.push_back({1, 1, first, 0, slot_number, u.v});
    for (std::uint32_t c = 0; c < slot.children && more; ++c) {
      more = fill_share(shares_[bounds + c], shares_[ends + c],
                        static_cast<std::int64_t>(shares_[units + c]));
    }
    slot_groups_.back().count = static_cast<std::uint32_t>(slot_items_.size()) - first;
    if (!more) slot_groups_.pop_back();
  }
  shares_.resize(bounds);

  groups_.resize(m.groups);
  items_.resize(m.items);
  if (slot_groups_.empty() && probe_.offer != nullptr) probe_.offer->undo_to(m.taken);
  for (Group g : slot_groups_) {
    const auto first = static_cast<std::uint32_t>(items_.size());
    for (std::uint32_t i = g.first; i < g.first + g.count; ++i) items_.push_back(slot_items_[i]);
    g.first = first;
    groups_.push_back(g);
  }
}

// Forms slots at u if a job may pass there.
void Matcher::slots_at(PoolId u, std::uint32_t slot_number, Score term, bool all) {
  ++visits_;
  const Level& slot = probe_.request->levels[slot_number];
  if (!probe_.open(u) || !probe_.offers(u, slot.needs)) return;
  form_slots(u, slot_number, probe_.term_below(u, term), slots_wanted(u, slot, all));
}

// A slot several levels above its contents: it is looked for below u, at the highest pools that
// have what it lists. (The reference finds such slots, and then loses what lies between.)
void Matcher::gather_slots(PoolId u, std::uint32_t slot_number, bool exclusive, Score term) {
  const std::size_t first = groups_.size();
  if (policy_.first_found) {
    explore(u, slot_number, 1, exclusive, term);
  } else {
    gather_slots_below(u, slot_number, term);
  }
  sort_groups(first, groups_.size());
}

void Matcher::gather_slots_below(PoolId u, std::uint32_t slot_number, Score term) {
  const Level& slot = probe_.request->levels[slot_number];
  for (PoolId v : graph_.children(u)) {
    if (graph_.leaf(v)) continue;
    if (probe_.resolves(v, slot)) {
      slots_at(v, slot_number, term, false);
    } else if (probe_.may_hold(v, slot) && probe_.open(v)) {
      gather_slots_below(v, slot_number, probe_.term_below(v, term));
    }
  }
}

}  // namespace copse
