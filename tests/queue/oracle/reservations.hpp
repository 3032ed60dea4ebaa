// SPDX-License-Identifier: Apache-2.0
//
// The reservations of the oracle: the nodes of each over time. A reservation has whole nodes from
// its start for its duration, once or repeatedly; eight occurrences are booked ahead.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace copse::queue_oracle {

using Time = std::int64_t;

struct Booking {
  int name = 0;
  Time start = 0, duration = 1;
  Time every = 0;  // 0: once
  std::int64_t count = 1;
  std::vector<int> among{};  // nodes
  std::int64_t nodes = 0;    // that many of these; 0: all
  int users = -1;            // a bit for each user that is admitted; -1: all are
};

struct ReservedTime {
  Time from = 0, until = 0;
  std::vector<int> nodes{};
  [[nodiscard]] bool at(Time start, Time end) const { return start < until && from < end; }
  bool operator==(const ReservedTime&) const = default;
};

struct Reservation {
  Booking booking;
  std::int64_t next = 0;  // the number of the occurrence to be booked next
  std::vector<ReservedTime> times{};

  // Occurrences to be booked now.
  [[nodiscard]] std::vector<ReservedTime> to_book(Time now, Time horizon);
  // Whether some are to be booked later.
  [[nodiscard]] bool more(Time horizon) const;
  [[nodiscard]] bool lasts(Time now) const { return !times.empty() && times[0].from <= now; }
};

struct Reservations {
  std::map<int, Reservation> all{};  // in the order of their creation
  int last = 0;

  [[nodiscard]] int find(int name) const;  // its number; 0: none
  [[nodiscard]] bool has(int node, Time from, Time until) const;
  [[nodiscard]] std::set<Time> ends() const;
};

}  // namespace copse::queue_oracle
