// SPDX-License-Identifier: Apache-2.0
//
// Bookings: how far reservations that repeat are booked, as they stand. What begins or lasts beyond
// that may yet be in the way of a time that is booked later, so that no promise is to be made of it.
//
// Cost: 4 bytes a node of each that repeats; beyond() O(pools of the grant × log nodes), and only
// for a grant that lasts so long.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "queue/reservation/reservation.hpp"

namespace copse::queue {

class Bookings {
 public:
  // `booked`: as JobQueue::reservations() has it.
  explicit Bookings(const std::vector<ReservationView>& booked);

  [[nodiscard]] bool any() const { return !all_.empty(); }
  // The first that may need something of what the grant has, at a time that is not booked yet. It
  // begins at from_s.
  [[nodiscard]] std::optional<ReservationReason> beyond(const ResourceGraph& graph,
                                                        const Grant& grant) const;

 private:
  struct Next {
    ReservationReason time;
    std::vector<PoolId> nodes;  // ascending; none: any
  };
  std::vector<Next> all_;
};

}  // namespace copse::queue
