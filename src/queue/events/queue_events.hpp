// SPDX-License-Identifier: Apache-2.0
//
// What happens to a queue apart from its passes: jobs that are resumed, that run and end, grants outside
// it, and changes of the machine. JobQueue documents each event and its errors.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "queue/events/submission.hpp"
#include "queue/queue_parts.hpp"

namespace copse::queue {

// Resumptions: jobs of a former queue continue in this one (JobQueue::resume).
//
// Running jobs are resumed first, because they decide whether promises are counted. Then each
// promise is restored at its start: counted, or by the reservation that the engine still has.
class Resumptions {
 public:
  explicit Resumptions(QueueParts& parts) : p_(parts) {}
  // REQUIRES that the job is in the table, and that `was` exists until settle().
  void add(Slot slot, const Resumption& was) { all_.push_back({slot, &was}); }
  void settle();

 private:
  struct One {
    Slot slot;
    const Resumption* was;
  };
  void settle_running();
  void settle_waiting(const One& one);

  QueueParts& p_;
  std::vector<One> all_;
};

// How much longer a job is assumed to run that should have ended.
inline constexpr std::int64_t kOverrunLeast_s = 2, kOverrunMost_s = 60;

// RunningJobs: events of running jobs.
class RunningJobs {
 public:
  explicit RunningJobs(QueueParts& parts) : p_(parts) {}
  [[nodiscard]] Result<void> ended(JobId id, std::int64_t at_s);
  [[nodiscard]] Result<bool> ended_part(JobId id, const PoolChoice& pools);
  [[nodiscard]] Result<void> set_end(JobId id, std::int64_t end_s);
  // REQUIRES that the engine has its grant, and that it is in the table, in state waiting.
  void adopted(Slot slot);
  // Jobs that should have ended by then keep their resources.
  void overrun(std::int64_t now_s);

 private:
  [[nodiscard]] Result<void> run_until(Slot slot, std::int64_t end_s, bool may_displace);
  [[nodiscard]] bool overdrawn(Slot slot, std::int64_t old_s, std::int64_t end_s) const;

  QueueParts& p_;
};

// MachineChanges: pools that are added, removed or change their status, and reservations.
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
  void drop_promises();
  void machine_changed();

  QueueParts& p_;
};

}  // namespace copse::queue
