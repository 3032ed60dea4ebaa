// SPDX-License-Identifier: Apache-2.0
#include "match/shared/choice_arena.hpp"

#include <algorithm>

namespace copse {

std::int64_t ChoiceArena::collect(std::size_t first, std::size_t count,
                                  const Eligibility& eligibility, SelectionBuilder& builder,
                                  ChargedPools& charged) const {
  std::int64_t slots = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    const ChoiceItem& item = chosen[i];
    const Level& level = eligibility.request->levels[item.level];
    if (!level.charges.empty()) charged.push_back({item.pool, item.level, level.charges});
    slots += item.begins_slot ? 1 : 0;
    if (item.divided) {
      builder.add_units(item.pool, level.label, item.exclusive, item.units());
      continue;
    }
    builder.add(eligibility.graph, item.pool, level.label, item.exclusive, item.more + 1);
    slots += collect(item.first, item.count, eligibility, builder, charged);
  }
  return slots;
}

bool ChoiceArena::check() const {
  auto inside = [&](const ChoiceItem& item) {
    return item.divided || std::size_t{item.first} + item.count <= chosen.size();
  };
  return std::all_of(items.begin(), items.end(), inside) &&
         std::all_of(chosen.begin(), chosen.end(), inside) &&
         std::all_of(groups.begin(), groups.end(), [&](const ChoiceGroup& group) {
           return std::size_t{group.first} + group.count <= items.size();
         });
}

}  // namespace copse
