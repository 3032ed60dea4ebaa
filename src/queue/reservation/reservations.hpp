// SPDX-License-Identifier: Apache-2.0
//
// Reservations: all reservations of a queue, and the jobs that wait for them. The rules are in
// reservation.hpp.
//
// Jobs that name a reservation wait here and in no queue. A pass examines them before the queues;
// it can be interrupted after any job.
//
// Invariant: a job in state waiting with a `reservation` is in `jobs` of that reservation only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "queue/reservation/reservation_table.hpp"

namespace copse::queue {

class Reservations {
 public:
  struct OrphanedJob {  // a job whose reservation has ended
    Slot slot = kNoSlot;
    std::string why{};
  };

  explicit Reservations(const SharedParts& shared)
      : shared_(shared), table_(shared.engine, shared.sink) {}
  // The same over the parts of a cloned queue.
  Reservations(const Reservations& other, const SharedParts& shared);

  [[nodiscard]] ReservationTable& table() { return table_; }
  [[nodiscard]] const ReservationTable& table() const { return table_; }
  // Releases its resources; jobs inside continue. Errors: not_found.
  [[nodiscard]] Result<void> remove(std::string_view name);
  // Removes ended occurrences, and books ahead. Returns true if an occurrence has ended.
  bool advance(const ReservationTable::RevokeConflicting& revoke_conflicting);

  // --- Jobs
  // The number of the reservation that a job may wait for. Errors: not_found; invalid (the job is
  // not admitted, or would never fit).
  [[nodiscard]] Result<std::uint32_t> find(std::string_view name, std::string_view user,
                                           std::int64_t duration_s) const;
  // Whether the reservation of a waiting job allows this duration. Errors: invalid.
  [[nodiscard]] Result<void> check_duration(std::uint32_t number, std::string_view user,
                                            std::int64_t duration_s) const {
    return check_admission(table_.all().at(number).spec, user, duration_s);
  }
  // Whether it can ever serve a job of this kind. Errors: infeasible.
  [[nodiscard]] Result<void> check_fits(std::uint32_t number, std::uint32_t kind);
  void insert(Slot slot);  // a job waits
  void erase(Slot slot);   // REQUIRES that it waits
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::optional<JobId> first() const;  // of the waiting jobs
  // A running job has ended, released pools, or shortened its time. Returns true if another job may
  // be admitted.
  bool job_released(JobId job);
  // Whether they overlap the resources of the job, at some time of [from, until).
  [[nodiscard]] bool overlap(JobId job, std::int64_t from_s, std::int64_t until_s) const;
  // A job continues on reserved nodes because it overran: `set_end` reports that to the engine.
  // Errors: those of `set_end`.
  [[nodiscard]] Result<void> extend(JobId job, std::int64_t end_s,
                                    const std::function<Result<void>()>& set_end);
  // Pools were renumbered or removed. REQUIRES that no job has a promise.
  void machine_changed();
  // Another job may be admitted, for instance because a node is up again.
  void recheck();
  // Jobs whose reservation has ended; the list is emptied.
  [[nodiscard]] std::vector<OrphanedJob> take_orphaned() { return std::exchange(orphaned_, {}); }
  // No job of this kind is left.
  void forget_kind(std::uint32_t kind);

  // --- A pass
  void begin();
  bool run(WorkBudget& budget);  // true if it is done

  // The reservation that makes a job wait, if there is one; the job then blocks no other.
  // Cost: a clone, and a match per overlapping occurrence.
  [[nodiscard]] std::optional<ReservationReason> reason(Slot slot) const;
  void check() const;

 private:
  void orphan_jobs(std::uint32_t number, const std::string& why);

  SharedParts shared_;
  ReservationTable table_;
  std::vector<OrphanedJob> orphaned_;
};

}  // namespace copse::queue
