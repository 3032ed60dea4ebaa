// SPDX-License-Identifier: Apache-2.0
//
// Reservations as values: maintenance and dedicated time over whole nodes, and over amounts of
// layers, once or repeatedly.
//
// The rules, which tests/property/reservation_test.cpp states independently:
//   1. A reservation has whole nodes from its start for its duration, and does not move. Jobs that
//      do not name it get no resources of these nodes in that time, neither now nor by a promise.
//   2. A job that already runs there is not affected. The reservation gets the resources of such a
//      job when it ends, and the rest of the node from its start.
//   3. Conflicting promises are made again.
//   4. A job that names a reservation waits only for it, outside the queues. While the reservation
//      is active, its waiting jobs are examined in the order of the queue. A job starts if its user
//      is admitted, it fits next to the jobs inside, and it ends in time. No job is promised a
//      start.
//   5. Resources that jobs inside release stay reserved: no other job shares a node with them.
//   6. Occurrences of a repeating reservation are booked ahead, kBookedMax of them. When one has
//      ended, the next one is booked.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/ids.hpp"
#include "copse/request.hpp"

namespace copse::queue {

inline constexpr std::int64_t kDay_s = 86'400, kWeek_s = 7 * kDay_s;
inline constexpr std::size_t kReservationsMax = 1'000, kBookedMax = 8;

// The start of occurrence number `n`, if the first one starts at `start_s`.
using NthStart = std::function<std::int64_t(std::int64_t start_s, std::int64_t n)>;

struct ReservationSpec {
  std::string name;
  std::int64_t start_s = 0, duration_s = 0;
  // All nodes that match the constraint. If there is a request: the nodes that it would get at its
  // start, and the layers; its duration does not count.
  Constraint constraint{};
  std::optional<Request> request{};
  // Users whose jobs may start in it. None: all users; an empty list: no user.
  std::optional<std::vector<std::string>> users{};
  // Repeated this many times, or as long as an occurrence starts before until_s. 0: once.
  std::int64_t every_s = 0, count = INT64_MAX, until_s = INT64_MAX;
  // By days of a calendar, so `every_s` may be some hours off; null: exactly every_s.
  NthStart nth_start = nullptr;

  // When an occurrence starts; not before the end of the previous one. REQUIRES every_s > 0 or n ==
  // 0.
  [[nodiscard]] std::int64_t start_of(std::int64_t n) const;
  // The number of the occurrence that starts then, or first after that time.
  [[nodiscard]] std::int64_t number_at(std::int64_t time_s) const;
};

// Errors: invalid: no name; times beyond the clock (`horizon_s`); a duration longer than the
// period.
[[nodiscard]] Result<void> check_reservation(const ReservationSpec& spec, std::int64_t horizon_s);
// Whether a job of a user may start in it. Errors: invalid (not admitted, or longer than it).
[[nodiscard]] Result<void> check_admission(const ReservationSpec& spec, std::string_view user,
                                           std::int64_t duration_s);
// The starts of its occurrences from number `next` on that have not ended; `next` is then the
// number after them. At most `most`. REQUIRES check_reservation(spec, horizon_s).
[[nodiscard]] std::vector<std::int64_t> next_starts(const ReservationSpec& spec, std::int64_t& next,
                                                    std::int64_t now_s, std::int64_t horizon_s,
                                                    std::size_t most);

// A job that runs into a reservation: it keeps these nodes after its start.
struct ReservationLoss {
  JobId job = 0;
  std::vector<PoolId> nodes;             // ascending
  std::int64_t from_s = 0, until_s = 0;  // when the reservation lacks them
  [[nodiscard]] std::int64_t seconds() const { return until_s - from_s; }
};

// The occurrences of a reservation that are not booked yet.
struct OccurrenceSeries {
  std::int64_t from_s = 0, last_s = 0;  // starts of the first and of the last
  std::int64_t duration_s = 0;
  ReservationSpec spec{};  // its `users`, constraint and request are left out
  // The start of the first occurrence that overlaps [from, until).
  [[nodiscard]] std::optional<std::int64_t> first_in(std::int64_t from, std::int64_t until) const;
};
// Those from number `next` on; none: there are none. REQUIRES as next_starts().
[[nodiscard]] std::optional<OccurrenceSeries> unbooked_series(const ReservationSpec& spec,
                                                              std::int64_t next, std::int64_t now_s,
                                                              std::int64_t horizon_s);

// What is booked for one occurrence, by names: valid for another engine, too.
struct BookedOccurrence {
  struct Amount {  // of a hierarchical resource
    std::string resource, nodes;
    std::int64_t amount = 0;
    bool operator==(const Amount&) const = default;
  };
  std::int64_t start_s = 0;
  std::vector<std::string> nodes;  // none: as in ReservationView::Time
  std::vector<Amount> layers;
  bool operator==(const BookedOccurrence&) const = default;
};

// A reservation and its booked occurrences.
struct ReservationView {
  struct Time {
    std::int64_t from_s = 0, until_s = 0;
    std::vector<PoolId> nodes;  // none: its nodes were not available when it was to be booked
    std::vector<JobId> jobs;    // that use some of them, ascending
  };
  std::string name;
  std::optional<std::vector<std::string>> users;
  std::vector<Time> times;  // by start, without ended ones
  std::optional<OccurrenceSeries> later;
  std::size_t waiting = 0;  // jobs that wait for it
};

// The reservation that makes a job wait.
struct ReservationReason {
  std::string name;
  std::int64_t from_s = 0, until_s = 0;
  bool named = false;  // the job names it; else it blocks the job
};

}  // namespace copse::queue
