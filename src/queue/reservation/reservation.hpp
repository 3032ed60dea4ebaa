// SPDX-License-Identifier: Apache-2.0
//
// Reservations as values: maintenance and dedicated time over whole nodes, and over amounts of
// layers, once or again and again.
//
// The rules, which tests/property/reservation_test.cpp has in other words:
//   1. A reservation has whole nodes from its start for its duration, and does not move. Jobs that
//      do not name it get nothing of them in that time, now or by a promise.
//   2. A job that already runs there is not harmed. The reservation has what such a job holds from
//      the job's end, or as soon as the job ends early, and the rest of the node from its start.
//   3. Promises in its way are made anew.
//   4. A job that names it waits for it alone, beside the lines. While it lasts, those that wait are
//      looked at in the order of the queue. Each starts that its users may, that fits beside those
//      in it, and that ends by its end. Nobody is promised anything.
//   5. What jobs in it leave stays reserved: no other job shares a node with them.
//   6. A time that repeats is booked ahead, kBookedMax of them. When one is over, the next is.
#pragma once

#include <cstdint>
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

struct ReservationSpec {
  std::string name;
  std::int64_t start_s = 0, duration_s = 0;
  // All nodes for which the constraint holds; or, if there is a request, the nodes that it would be
  // given at its start, and the layers. Its duration does not count.
  Constraint constraint{};
  std::optional<Request> request{};
  // Whose jobs may start in it. None: anybody's; an empty list: nobody's.
  std::optional<std::vector<std::string>> users{};
  // Repeated so often, or as long as a time starts before until_s. 0: it is there once.
  std::int64_t every_s = 0, count = INT64_MAX, until_s = INT64_MAX;
};

// Errors: invalid: no name; times that no clock to `horizon_s` has; one that lasts longer than it
// takes to be repeated.
[[nodiscard]] Result<void> check_reservation(const ReservationSpec& spec, std::int64_t horizon_s);
// Whether a job of a user may start in it. Errors: invalid (it may not, or is longer).
[[nodiscard]] Result<void> lets_in(const ReservationSpec& spec, std::string_view user,
                                   std::int64_t duration_s);
// The starts of its times from number `next` on that are not over; `next` is then the one after
// them. At most `most`. REQUIRES check_reservation(spec, horizon_s).
[[nodiscard]] std::vector<std::int64_t> next_starts(const ReservationSpec& spec, std::int64_t& next,
                                                    std::int64_t now_s, std::int64_t horizon_s,
                                                    std::size_t most);

// A job that runs into a reservation: it keeps these nodes beyond the start.
struct ReservationLoss {
  JobId job = 0;
  std::vector<PoolId> nodes;             // ascending
  std::int64_t from_s = 0, until_s = 0;  // what the reservation is short of
  [[nodiscard]] std::int64_t seconds() const { return until_s - from_s; }
};

// Times of a reservation that are not booked yet.
struct LaterTimes {
  std::int64_t from_s = 0, last_s = 0;  // starts of the first and of the last
  std::int64_t every_s = 1;             // from one start to the next
  std::int64_t duration_s = 0;
  // The start of the first that has something of [from, until).
  [[nodiscard]] std::optional<std::int64_t> first_in(std::int64_t from, std::int64_t until) const;
};
// Those from number `next` on; none: there is none. REQUIRES as next_starts().
[[nodiscard]] std::optional<LaterTimes> later_times(const ReservationSpec& spec, std::int64_t next,
                                                    std::int64_t now_s, std::int64_t horizon_s);

// What is booked for one time of a reservation, by names: good for another engine, too.
struct BookedTime {
  struct Amount {  // of a hierarchical resource
    std::string resource, nodes;
    std::int64_t amount = 0;
    bool operator==(const Amount&) const = default;
  };
  std::int64_t start_s = 0;
  std::vector<std::string> nodes;  // none: as ReservationView::Time
  std::vector<Amount> layers;
  bool operator==(const BookedTime&) const = default;
};

// A reservation as it is booked.
struct ReservationView {
  struct Time {
    std::int64_t from_s = 0, until_s = 0;
    std::vector<PoolId> nodes;  // none: when it was to be booked, its nodes were not to be had
    std::vector<JobId> jobs;    // that have something of them, ascending
  };
  std::string name;
  std::optional<std::vector<std::string>> users;
  std::vector<Time> times;  // by start; those that are over are not there
  std::optional<LaterTimes> later;
  std::size_t waiting = 0;  // jobs that name it
};

// Why a job waits.
struct ReservationReason {
  std::string name;
  std::int64_t from_s = 0, until_s = 0;
  bool named = false;  // the job asks for it; else it stands in the job's way
};

}  // namespace copse::queue
