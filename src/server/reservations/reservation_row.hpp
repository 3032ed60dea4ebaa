// SPDX-License-Identifier: Apache-2.0
//
// ReservationRow: a named reservation of a service, and its line in the journal:
//
//   {"reservation": "maintenance", "number": 1, "by": "ada", "at": 17, "request": "{…}",
//    "booked": [{"start": 20, "nodes": "n[0-3]",
//    "layers": [{"resource": "licence", "nodes": "n[0-3]", "amount": 2}]}]}
//   {"reservation": "maintenance", "ended": true}
//
// "request" is the operator's request, in the grammar of queue/reservation/reservation_reader.hpp; its
// relative times count from "at". "booked" has the nodes of each booked time. A reader also accepts
// the older names "asked" and "over" of "request" and "ended".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "queue/reservation/reservation.hpp"
#include "queue/reservation/reservation_reader.hpp"

namespace copse::server {

struct ReservationRow {
  std::string name{}, by{};
  std::int64_t number = 0;  // unique order of addition
  std::int64_t at = 0;
  std::string request{};  // JSON without newlines
  std::vector<queue::BookedOccurrence> booked{};
};

struct ReservationLine {
  ReservationRow row{};
  bool ended = false;  // the reservation was ended
};

// Appends the line with its newline.
void append_line(std::string& out, const ReservationLine& line);
// Errors: invalid, limit.
[[nodiscard]] Result<ReservationLine> read_reservation_line(std::string_view text);

// Parses `request`. `how`: the nodes that exist. Errors: as queue::read_reservation.
[[nodiscard]] Result<queue::ReservationSpec> spec_of(const ReservationRow& row,
                                                     const queue::ReservationReadOptions& how);

}  // namespace copse::server
