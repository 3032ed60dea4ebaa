// SPDX-License-Identifier: Apache-2.0
//
// MachineChanges: pools that are added, removed or change their status, and reservations. JobQueue
// documents each event and its errors.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "queue/queue_parts.hpp"

namespace copse::queue {

class MachineChanges {
 public:
  explicit MachineChanges(QueueParts& parts) : p_(parts) {}
  void set_status(std::span<const PoolId> pools, Status status);
  [[nodiscard]] Result<void> attach(std::span<const NewSubtree> subtrees);
  [[nodiscard]] Result<std::vector<JobId>> remove(std::span<const PoolId> tops);
  void layers_changed();

  [[nodiscard]] Result<std::vector<ReservationLoss>> reserve(const ReservationSpec& spec);
  [[nodiscard]] Result<std::vector<ReservationLoss>> change_reservation(
      const ReservationSpec& spec);
  [[nodiscard]] Result<void> cancel_reservation(std::string_view name);
  // Revokes promises that conflict with an occurrence that is about to be booked.
  void revoke_conflicting(const ReservedNodes& reserved);
  void reservations_changed();

 private:
  void machine_changed();

  QueueParts& p_;
};

}  // namespace copse::queue
