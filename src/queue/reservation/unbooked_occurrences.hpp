// SPDX-License-Identifier: Apache-2.0
//
// UnbookedOccurrences: the times of reservations that repeat and are not booked yet, as they enqueue. A grant
// that overlaps one may be in its way when it is booked, so that no promise is to be made of it.
//
// Cost: 4 bytes a node of each that repeats; beyond() O(pools of the grant × log nodes), and only
// for a grant that overlaps such a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "queue/reservation/reservation.hpp"

namespace copse::queue {

class UnbookedOccurrences {
 public:
  // `booked`: as JobQueue::reservations() has it.
  explicit UnbookedOccurrences(const std::vector<ReservationView>& booked);

  [[nodiscard]] bool any() const { return !all_.empty(); }
  // One that may need something of what the grant has, with the first such time.
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
