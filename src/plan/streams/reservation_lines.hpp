// SPDX-License-Identifier: Apache-2.0
//
// Reservations as a file has them: JSON lines, an object each, or one JSON list of such objects.
//
//   {"name": "maintenance", "start": "2h", "duration": "4h", "nodes": "node[0-3]", "users": []}
//   {"name": "course", "start": "1d", "duration": "2h", "nodes": 16, "constraint":
//    {"properties": ["gpu"]}, "users": ["ada", "bo"], "repeat": "weekly", "count": 10}
//
//   name      of one reservation only
//   start     a time (base/clock_time.hpp); duration: see base/duration.hpp. From kRealTime_s on it
//             is of a real clock, which shows ReservationReadOptions::zero_s at time 0
//   nodes     a hostlist; or a number of nodes, any
//   shape     in place of these: what a job of this shape would get (RFC 46); of its nodes the whole
//   hres      with a shape, or a number of nodes: hierarchical resources
//   constraint  which nodes (RFC 31); alone: all of them
//   users     whose jobs may start in it; left out: anybody's. A name, or a list
//   repeat    "daily" or "weekly"; count: how often; until: it starts before then
//
// Limits: queue::kReservationsMax, and those of a jobspec for each line.
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

namespace copse::plan {

[[nodiscard]] KnownKeys reservation_keys();

struct ReservationReadOptions {
  LocalTime local_time = nullptr;  // null: times are in UTC, unless they say their zone
  // What a real clock shows when this one shows 0. 0: this one is real. None: nobody knows, and
  // dates are refused, with what to do (`no_dates`).
  std::optional<std::int64_t> zero_s = 0;
  std::string_view no_dates = "the clock begins at 0: write the time from then on, such as 2h";
  std::int64_t clock_end_s = INT64_MAX;
  std::size_t nodes = SIZE_MAX;  // that the machine has
  // Whether a node of that name is there. Null: it is not asked.
  std::function<bool(std::string_view name)> has_node = nullptr;
  // What is said of a name that no node has. Null: no more than that.
  std::function<std::string(std::string_view name)> no_node = nullptr;
};

// Errors: invalid and limit, with file, line and column; an unknown key with the nearest.
// `places`: where each stands; null: nobody asks.
[[nodiscard]] Result<std::vector<queue::ReservationSpec>> read_reservations(
    std::string_view text, std::string_view file, const ReservationReadOptions& options = {},
    std::vector<SourceLocation>* places = nullptr);
// On a real clock, times without a date count from `now_s`.
void count_from(std::int64_t now_s, queue::ReservationSpec& spec);
// One of them, as an object.
[[nodiscard]] Result<queue::ReservationSpec> read_reservation(
    TreeView object, const ReservationReadOptions& options);

}  // namespace copse::plan
