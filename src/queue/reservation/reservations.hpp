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
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "queue/reservation/booked_reservation.hpp"

namespace copse::queue {

class Reservations {
 public:
  // Revokes promises that conflict with an occurrence that is about to be booked.
  using RevokeConflicting = std::function<void(const ReservedNodes&)>;
  struct OrphanedJob {  // a job whose reservation has ended
    Slot slot = kNoSlot;
    std::string why{};
  };

  explicit Reservations(const SharedParts& shared) : shared_(shared) {}
  // The same over the parts of a cloned queue.
  Reservations(const Reservations& other, const SharedParts& shared);

  // --- Reservations
  // Books it. Errors, state unchanged: exists (the name, or a node that another reservation has
  // then); invalid; limit; those of choose_resources().
  [[nodiscard]] Result<std::vector<ReservationLoss>> add(
      const ReservationSpec& spec, const RevokeConflicting& revoke_conflicting);
  // Replaces the reservation of this name. Jobs that wait for it keep waiting.
  [[nodiscard]] Result<std::vector<ReservationLoss>> change(
      const ReservationSpec& spec, const RevokeConflicting& revoke_conflicting);
  // Releases its resources; jobs inside continue. Errors: not_found.
  [[nodiscard]] Result<void> remove(std::string_view name);
  // Restores a reservation of a former queue; the engine has its grants. `admitted`: running jobs
  // that it has admitted. Errors: exists; limit; those of check_reservation().
  [[nodiscard]] Result<void> resume(const ReservationSpec& spec,
                                    std::span<const BookedOccurrence> times,
                                    std::span<const JobId> admitted);
  // Counts changes of booked().
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::map<std::string, std::vector<BookedOccurrence>> booked() const;  // by name
  // Removes ended occurrences, and books ahead. Returns true if an occurrence has ended.
  bool advance(const RevokeConflicting& revoke_conflicting);
  [[nodiscard]] bool any() const { return !all_.empty(); }
  [[nodiscard]] std::vector<ReservationView> view() const;  // by name
  // The reservation that owns a grant; none if it is a job's. O(grants of reservations).
  [[nodiscard]] std::optional<ReservationReason> owner(JobId grant) const;
  // When one of them next starts or ends.
  [[nodiscard]] std::optional<std::int64_t> next_time() const;

  // --- Jobs
  // The number of the reservation that a job may wait for. Errors: not_found; invalid (the job is
  // not admitted, or would never fit).
  [[nodiscard]] Result<std::uint32_t> find(std::string_view name, std::string_view user,
                                           std::int64_t duration_s) const;
  // Whether the reservation of a waiting job allows this duration. Errors: invalid.
  [[nodiscard]] Result<void> check_duration(std::uint32_t number, std::string_view user,
                                            std::int64_t duration_s) const {
    return check_admission(all_.at(number).spec, user, duration_s);
  }
  // The number of that name; 0: none.
  [[nodiscard]] std::uint32_t number(std::string_view name) const;
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
  [[nodiscard]] bool have(JobId job, std::int64_t from_s, std::int64_t until_s) const;
  // A job continues on reserved nodes because it overran: `set_end` reports that to the engine.
  // Errors: those of `set_end`.
  [[nodiscard]] Result<void> run_on(JobId job, std::int64_t end_s,
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

  // The reservation because of which a job waits, if there is one; the job then blocks no other.
  // Cost: a clone, and a match per overlapping occurrence.
  [[nodiscard]] std::optional<ReservationReason> reason(Slot slot) const;
  void check() const;

 private:
  using Numbered = std::map<std::uint32_t, BookedReservation>;  // from 1 on

  [[nodiscard]] Result<std::vector<ReservationLoss>> book(
      std::uint32_t number, const RevokeConflicting& revoke_conflicting,
      const std::vector<JobId>& admitted = {});
  // `admitted`: jobs that the active occurrence had admitted, if it is booked again.
  [[nodiscard]] Result<void> book_ahead(BookedReservation& reservation, bool all,
                                        const RevokeConflicting& revoke_conflicting,
                                        const std::vector<JobId>& admitted = {});
  [[nodiscard]] Result<void> check_free(const ReservedNodes& time) const;  // errors: exists
  [[nodiscard]] const std::string* holder(PoolId node, std::int64_t start_s,
                                          std::int64_t end_s) const;
  [[nodiscard]] Numbered::iterator find(std::string_view name);
  [[nodiscard]] Result<void> check_new(const ReservationSpec& spec);
  void orphan_jobs(std::uint32_t number, const std::string& why);

  SharedParts shared_;
  Numbered all_;
  std::uint32_t last_ = 0;
  JobId next_id_ = kReservationIds;
  std::uint64_t version_ = 0;
  std::vector<OrphanedJob> orphaned_;
};

}  // namespace copse::queue
