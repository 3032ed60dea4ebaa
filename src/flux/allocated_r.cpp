// SPDX-License-Identifier: Apache-2.0
#include "flux/allocated_r.hpp"

#include <cstdint>
#include <utility>

#include "flux/job_requests.hpp"
#include "formats/rv1/rv1_write.hpp"

namespace copse::flux {

AllocatedR::Text AllocatedR::of(const Grant& grant, const Request& request, const RSet& inventory,
                                std::optional<double> instance_end_s, const Times& times) {
  RSet r = selections_.make(engine_.graph(), grant.selection);
  Text out;
  append_r_short(out.summary, r);
  const std::int64_t now_s = engine_.now();
  r.starttime_s = times.start_s.value_or(static_cast<double>(now_s));
  const bool endless = grant.end >= engine_.options().horizon;
  const auto granted_s = static_cast<double>(grant.end - grant.start);
  if (!endless) r.expiration_s = r.starttime_s + times.duration_s.value_or(granted_s);
  if (instance_end_s && (endless || *instance_end_s < r.expiration_s)) {
    r.expiration_s = *instance_end_s;
  }
  if (style_.slots) r.nslots = grant.nslots > 0 ? grant.nslots : slots_of(request, r);
  describe(r, grant, inventory);
  append_r(out.r, std::move(r));
  return out;
}

// Fills `scheduling`: TreePool's layouts (RFC 49, *Allocated R*), or a graph.
void AllocatedR::describe(RSet& r, const Grant& grant, const RSet& inventory) {
  if (inventory.scheduling.treepool) {
    r.scheduling = inventory.scheduling;
    trim(r.scheduling, r.ranks());
  } else if (style_.copies) {
    r.scheduling = inventory.scheduling;
  } else if (style_.graph) {
    graphs_.write(engine_.graph(), {.selection = grant.selection, .labels = grant.selection.labels},
                  r.scheduling.text);
    r.scheduling.text.pop_back();  // the newline
  }
}

}  // namespace copse::flux
