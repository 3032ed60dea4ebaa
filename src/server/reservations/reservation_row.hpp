// SPDX-License-Identifier: Apache-2.0
//
// ReservationRow: a named reservation of a service, and the line that it is on disk:
//
//   {"reservation": "maintenance", "number": 1, "by": "ada", "at": 17, "asked": "{…}", "booked": [{"start": 20,
//    "nodes": "n[0-3]", "layers": [{"resource": "licence", "nodes": "n[0-3]", "amount": 2}]}]}
//   {"reservation": "maintenance", "over": true}
//
// "asked" is what its operator asked for, in the grammar of plan/streams/reservation_lines.hpp; times
// in it that have no date count from "at". "booked": which nodes it was given for which of its times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "plan/streams/reservation_lines.hpp"
#include "queue/reservation/reservation.hpp"

namespace copse::server {

struct ReservationRow {
  std::string name{}, by{};
  std::int64_t number = 0;  // who came first; unique
  std::int64_t at = 0;
  std::string asked{};  // JSON, in one line
  std::vector<queue::BookedOccurrence> booked{};
};

struct ReservationLine {
  ReservationRow row{};
  bool over = false;  // there is no such reservation any more
};

// With its line end.
void append_line(std::string& out, const ReservationLine& line);
// Errors: invalid, limit.
[[nodiscard]] Result<ReservationLine> read_reservation_line(std::string_view text);

// What `asked` says. `how`: which nodes there are. Errors: as plan::read_reservation.
[[nodiscard]] Result<queue::ReservationSpec> spec_of(const ReservationRow& row,
                                                     const plan::ReservationReadOptions& how);

}  // namespace copse::server
