// SPDX-License-Identifier: Apache-2.0
//
// Reservations in a file: JSON lines with an object each, or one JSON list of such objects.
//
//   {"name": "maintenance", "start": "2h", "duration": "4h", "nodes": "node[0-3]", "users": []}
//   {"name": "course", "start": "1d", "duration": "2h", "nodes": 16, "constraint":
//    {"properties": ["gpu"]}, "users": ["ada", "bo"], "repeat": "weekly", "count": 10}
//
//   name      unique
//   start     a time (base/clock_time.hpp); duration: see base/duration.hpp. From kRealTime_s on it
//             is a time of a real clock, which shows ReservationReadOptions::zero_s at time 0
//   nodes     a hostlist; or a number of nodes, no matter which
//   shape     instead: the nodes that a job of this shape would get (RFC 46), as a whole
//   hres      with a shape, or a number of nodes: hierarchical resources
//   constraint  which nodes (RFC 31); alone: all of them
//   users     whose jobs may start in it; default: all users. A name, or a list
//   repeat    "daily" or "weekly", at the same time of day; count: how often; until: the last start is before it
//
// Limits: kReservationsMax, and those of a jobspec for each line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock_time.hpp"
#include "base/known_key.hpp"
#include "queue/reservation/reservation.hpp"
#include "text/tree/tree.hpp"

namespace copse::queue {

[[nodiscard]] KnownKeys reservation_keys();

struct ReservationReadOptions {
  LocalTime local_time = nullptr;  // null: times are in UTC, unless they have a zone
  // For the days of repeated reservations on a clock that shows real time; null: they have 24 hours.
  LocalTime calendar = nullptr;
  // The real time at time 0. 0: the clock is real. None: it is unknown, and dates are refused, with
  // a hint (`no_dates`).
  std::optional<std::int64_t> zero_s = 0;
  std::string_view no_dates = "the clock begins at 0: write the time from then on, such as 2h";
  std::int64_t clock_end_s = INT64_MAX;
  std::size_t nodes = SIZE_MAX;  // of the machine
  // Whether a node of that name exists. Null: not checked.
  std::function<bool(std::string_view name)> has_node = nullptr;
  // The message for an unknown node. Null: a general one.
  std::function<std::string(std::string_view name)> no_node = nullptr;
};

// Errors: invalid and limit, with file, line and column; an unknown key with the nearest. `places`
// receives the place of each, unless it is null.
[[nodiscard]] Result<std::vector<ReservationSpec>> read_reservations(
    std::string_view text, std::string_view file, const ReservationReadOptions& options = {},
    std::vector<SourceLocation>* places = nullptr);
// Makes times without a date relative to `now_s`, for a real clock.
void count_from(std::int64_t now_s, ReservationSpec& spec);
// Reads one reservation from an object.
//
[[nodiscard]] Result<ReservationSpec> read_reservation(TreeView object,
                                                       const ReservationReadOptions& options);

}  // namespace copse::queue
