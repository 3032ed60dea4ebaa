// SPDX-License-Identifier: Apache-2.0
//
// Reservations: all reservations of a queue, and the jobs that wait for them. The rules:
// reservation.hpp.
//
// Jobs that name a reservation stand here and in no line. A pass looks at them before it looks at
// the lines; it can be left after any job.
//
// Invariant: a job in state waiting with a `reservation` stands in `jobs` of that one, and nowhere
// else.
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
#include "queue/reservation/booked_reservation.hpp"

namespace copse::queue {

class Reservations {
 public:
  // Takes back the promises that stand in the way of what is about to be booked.
  using ClearWay = std::function<void(const ReservedNodes&)>;
  struct Stranded {  // a job whose reservation is no more
    Slot slot = kNoSlot;
    std::string why{};
  };

  explicit Reservations(const SharedParts& shared) : shared_(shared) {}
  // The same over the parts of a cloned queue.
  Reservations(const Reservations& other, const SharedParts& shared);

  // --- Reservations
  // Books it. Errors, state unchanged: exists (the name; its nodes are another's then); invalid;
  // limit; those of choose_room().
  [[nodiscard]] Result<std::vector<ReservationLoss>> add(const ReservationSpec& spec,
                                                         const ClearWay& clear_way);
  // The same in place of the one of this name. Jobs that wait for it, wait on.
  [[nodiscard]] Result<std::vector<ReservationLoss>> change(const ReservationSpec& spec,
                                                            const ClearWay& clear_way);
  // Gives back what it has; jobs that are in it run on. Errors: not_found.
  [[nodiscard]] Result<void> remove(std::string_view name);
  // The same as it was booked in a queue that is no more; the engine has its grants. `inside`:
  // jobs that it has let in, and that run. Errors: exists; limit; those of check_reservation().
  [[nodiscard]] Result<void> resume(const ReservationSpec& spec, std::span<const BookedTime> times,
                                    std::span<const JobId> inside);
  // Counts changes of what booked() returns.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::map<std::string, std::vector<BookedTime>> booked() const;  // by name
  // What is over goes; what repeats is booked ahead. True if one of its times is over.
  bool advance(const ClearWay& clear_way);
  [[nodiscard]] bool any() const { return !all_.empty(); }
  [[nodiscard]] std::vector<ReservationView> view() const;  // by name
  // Whose a grant is; none if it is a job's. O(grants of reservations).
  [[nodiscard]] std::optional<ReservationReason> owner(JobId grant) const;
  // When one of them starts or ends next.
  [[nodiscard]] std::optional<std::int64_t> next_time() const;

  // --- Jobs
  // The number of the one that a job may wait for. Errors: not_found; invalid (it may not, or would
  // never fit).
  [[nodiscard]] Result<std::uint32_t> find(std::string_view name, std::string_view user,
                                           std::int64_t duration_s) const;
  // Whether one that a job waits for lets it ask for so long. Errors: invalid.
  [[nodiscard]] Result<void> check_duration(std::uint32_t number, std::string_view user,
                                            std::int64_t duration_s) const {
    return lets_in(all_.at(number).spec, user, duration_s);
  }
  // The number of that name; 0: there is none.
  [[nodiscard]] std::uint32_t number(std::string_view name) const;
  // Whether it can ever give a job of this kind what it asks for. Errors: infeasible.
  [[nodiscard]] Result<void> check_fits(std::uint32_t number, std::uint32_t kind);
  void insert(Slot slot);  // it waits
  void erase(Slot slot);   // REQUIRES that it does
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::optional<JobId> first() const;  // that waits
  // A job that runs has ended, or given back something, or some of its time; true if that may let
  // in another.
  bool given_back(JobId job);
  // Whether they have something of what the job has, at some time of [from, until).
  [[nodiscard]] bool have(JobId job, std::int64_t from_s, std::int64_t until_s) const;
  // A job runs on where a reservation is, as it cannot be helped: `set_end` says so to the engine.
  // Errors: those of `set_end`.
  [[nodiscard]] Result<void> run_on(JobId job, std::int64_t end_s,
                                    const std::function<Result<void>()>& set_end);
  // Pools have other numbers, or are gone. REQUIRES that nobody has a promise.
  void machine_changed();
  // Something else may let in another: a node went up.
  void look_again();
  // Jobs that no reservation is there for any more; they leave it.
  [[nodiscard]] std::vector<Stranded> take_stranded() { return std::exchange(stranded_, {}); }
  // No job has this kind any more.
  void forget_kind(std::uint32_t kind);

  // --- A pass
  void begin();
  bool go_on(Slice& slice);  // true if it is over

  // Why a job that waits waits, if it is for a reservation; nobody may pass it then. Cost: that of a
  // clone, and a match for each time that overlaps.
  [[nodiscard]] std::optional<ReservationReason> reason(Slot slot) const;
  void check() const;

 private:
  using Numbered = std::map<std::uint32_t, BookedReservation>;  // from 1 on

  [[nodiscard]] Result<std::vector<ReservationLoss>> book(std::uint32_t number,
                                                          const ClearWay& clear_way,
                                                          const std::vector<JobId>& inside = {});
  // `inside`: jobs that its time which lasts now had let in, if it is booked anew.
  [[nodiscard]] Result<void> book_ahead(BookedReservation& reservation, bool all,
                                        const ClearWay& clear_way,
                                        const std::vector<JobId>& inside = {});
  [[nodiscard]] Result<void> check_free(const ReservedNodes& time) const;  // errors: exists
  [[nodiscard]] const std::string* holder(PoolId node, std::int64_t start_s,
                                          std::int64_t end_s) const;
  [[nodiscard]] Numbered::iterator find(std::string_view name);
  [[nodiscard]] Result<void> check_new(const ReservationSpec& spec);
  void strand(std::uint32_t number, const std::string& why);

  SharedParts shared_;
  Numbered all_;
  std::uint32_t last_ = 0;
  JobId next_id_ = kFirstReservationId;
  std::uint64_t version_ = 0;
  std::vector<Stranded> stranded_;
};

}  // namespace copse::queue
