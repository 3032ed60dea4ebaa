// SPDX-License-Identifier: Apache-2.0
//
// UnbookedOccurrences: the occurrences of repeating reservations that are not booked yet. A grant
// that overlaps one may conflict with it when it is booked, so it is not reported as a promise.
//
// Cost: 4 bytes a node of each repeating reservation; conflict() O(pools of the grant × log nodes),
// and only for a grant that overlaps such an occurrence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "queue/reservation/reservation.hpp"

namespace copse::queue {

class UnbookedOccurrences {
 public:
  // `booked`: the result of JobQueue::reservations().
  explicit UnbookedOccurrences(const std::vector<ReservationView>& booked);

  [[nodiscard]] bool any() const { return !all_.empty(); }
  // A reservation that may need resources of the grant, with its first such occurrence.
  [[nodiscard]] std::optional<ReservationReason> conflict(const ResourceGraph& graph,
                                                          const Grant& grant) const;

 private:
  struct Later {
    std::string name;
    OccurrenceSeries times;
    std::vector<PoolId> nodes;  // ascending; none: any
  };
  std::vector<Later> all_;
};

}  // namespace copse::queue
