// SPDX-License-Identifier: Apache-2.0
//
// ReservationTable: the reservations of a queue as they are booked in its engine, by number. The
// rules are in reservation.hpp; Reservations has the jobs that wait for them.
//
// Cost: find() and number() O(reservations).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/job_id.hpp"
#include "queue/reservation/reserved_jobs.hpp"

namespace copse::queue {

// BookedReservation: one reservation with its booked occurrences in an engine, and the jobs that
// wait for it.
//
// Invariant: `booked` has the occurrences that have not ended, by start.
struct BookedReservation {
  ReservationSpec spec;
  std::int64_t next = 0;  // number of the next occurrence to be booked
  std::vector<ReservedNodes> booked{};
  ReservedJobs jobs{};
  bool active_noted = false;  // the start of the first of `booked` was handled

  [[nodiscard]] bool is_active(std::int64_t now_s) const {
    return !booked.empty() && booked.front().start_s() <= now_s;
  }
  // When an occurrence next starts or ends.
  [[nodiscard]] std::optional<std::int64_t> next_time() const;
  // Whether it shares resources with the grant, at some time of [from, until).
  [[nodiscard]] bool overlaps(const ResourceGraph& graph, const Grant& grant, std::int64_t from_s,
                              std::int64_t until_s) const;
  // The occurrence that owns this grant; nullptr: none does.
  [[nodiscard]] const ReservedNodes* owner(JobId grant) const;
  [[nodiscard]] std::vector<ReservationLoss> losses(const Engine& engine) const;
  [[nodiscard]] ReservationView view(const Engine& engine) const;

  // Releases the booked resources; the occurrences stay.
  void release(Engine& engine);
  // Removes ended occurrences; true if there was one.
  bool drop_ended(Engine& engine);
  // As ReservedNodes::job_released, for all occurrences.
  bool job_released(Engine& engine, JobId& next_id, JobId job);
  // Pools were renumbered or removed.
  void machine_changed(Engine& engine, JobId& next_id);
};

class ReservationTable {
 public:
  using Numbered = std::map<std::uint32_t, BookedReservation>;  // from 1 on
  // Revokes promises that conflict with an occurrence that is about to be booked.
  using RevokeConflicting = std::function<void(const ReservedNodes&)>;

  // REQUIRES that both outlive the table.
  ReservationTable(Engine& engine, QueueSink& sink) : engine_(engine), sink_(sink) {}
  // The same for a clone of the other's engine.
  ReservationTable(const ReservationTable& other, Engine& engine, QueueSink& sink);

  // Books a reservation. Errors, state unchanged: exists (the name, or a node that another
  // reservation has then); invalid; limit; those of choose_resources().
  [[nodiscard]] Result<std::vector<ReservationLoss>> add(
      const ReservationSpec& spec, const RevokeConflicting& revoke_conflicting);
  // Replaces the reservation of this name. Jobs that wait for it keep waiting.
  [[nodiscard]] Result<std::vector<ReservationLoss>> change(
      const ReservationSpec& spec, const RevokeConflicting& revoke_conflicting);
  // Restores a reservation of a former queue; the engine has its grants. `admitted`: running jobs
  // that it has admitted. Errors: exists; limit; those of check_reservation().
  [[nodiscard]] Result<void> resume(const ReservationSpec& spec,
                                    std::span<const BookedOccurrence> times,
                                    std::span<const JobId> admitted);
  // Releases its resources, and removes it. Returns the next one.
  Numbered::iterator erase(Numbered::iterator at);
  // Removes its ended occurrences; true if there was one.
  bool drop_ended(BookedReservation& reservation);
  // Books further occurrences. Errors: of the first whose nodes are not available. If `all`, nothing
  // is booked then. `admitted`: jobs that the active occurrence had admitted, if it is booked again.
  [[nodiscard]] Result<void> book_ahead(BookedReservation& reservation, bool all,
                                        const RevokeConflicting& revoke_conflicting,
                                        const std::vector<JobId>& admitted = {});

  [[nodiscard]] bool any() const { return !all_.empty(); }
  [[nodiscard]] Numbered& all() { return all_; }
  [[nodiscard]] const Numbered& all() const { return all_; }
  [[nodiscard]] JobId& next_id() { return next_id_; }  // of grants, see ReservedNodes::book
  [[nodiscard]] Numbered::iterator find(std::string_view name);
  // The number of that name; 0: none.
  [[nodiscard]] std::uint32_t number(std::string_view name) const;
  // Counts changes of booked().
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::map<std::string, std::vector<BookedOccurrence>> booked() const;  // by name
  [[nodiscard]] std::vector<ReservationView> view() const;                            // by name
  // The reservation that owns a grant; none if it is a job's. O(grants of reservations).
  [[nodiscard]] std::optional<ReservationReason> owner(JobId grant) const;
  // When one of them next starts or ends.
  [[nodiscard]] std::optional<std::int64_t> next_time() const;

 private:
  [[nodiscard]] Result<std::vector<ReservationLoss>> book(
      std::uint32_t number, const RevokeConflicting& revoke_conflicting,
      const std::vector<JobId>& admitted = {});
  [[nodiscard]] const std::string* holder(PoolId node, std::int64_t start_s,
                                          std::int64_t end_s) const;
  [[nodiscard]] Result<void> check_new(const ReservationSpec& spec);

  Engine& engine_;
  QueueSink& sink_;
  Numbered all_;
  std::uint32_t last_ = 0;
  JobId next_id_ = kFirstReservationId;
  std::uint64_t version_ = 0;
};

}  // namespace copse::queue
