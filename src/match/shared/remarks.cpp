// SPDX-License-Identifier: Apache-2.0
#include "match/shared/remarks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "match/flexible/or_slots.hpp"

namespace copse {

std::string siblings_conflict_text(std::string_view type) {
  return fmt::format("test: siblings in jobspec request same resource type : {}.", type);
}

std::string remark_text(const Remark& remark, const ResourceGraph& graph) {
  switch (remark.kind) {
    case Remark::Kind::exclusivity_conflict:
      return fmt::format("by_excl: exclusivity conflicts at jobspec={} : vertex={}", *remark.label,
                         graph.name(remark.pool));
    case Remark::Kind::siblings_conflict:
      return siblings_conflict_text(graph.type_name(remark.type));
    case Remark::Kind::displaced_slot:
      return "sibling slots request different contents of one type: use xor_slot";
    case Remark::Kind::slots_not_all_tried:
      return fmt::format("slots at {}: more than {} ways to form them, not all were tried",
                         graph.path(remark.pool, graph.dominant()), OrSlots::kStatesMax);
  }
  return {};
}

void add_remark(std::vector<Remark>& remarks, const Remark& remark) {
  constexpr std::size_t kRemarksMax = 16;
  if (remarks.size() >= kRemarksMax) return;
  if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) {
    remarks.push_back(remark);
  }
}

}  // namespace copse
