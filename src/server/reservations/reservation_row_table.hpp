// SPDX-License-Identifier: Apache-2.0
//
// ReservationRowTable: the named reservations of a service, as lines for the journal.
//
// Invariant: the lines of take_lines(), applied in order to a table with the rows of an earlier
// state, make this table. A state is such lines, too.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "server/reservations/reservation_row.hpp"

namespace copse::server {

class ReservationRowTable {
 public:
  using Rows = std::map<std::string, ReservationRow, std::less<>>;

  [[nodiscard]] const Rows& rows() const { return rows_; }
  [[nodiscard]] const ReservationRow* find(std::string_view name) const;
  // Replaces the row of its name.
  void put(ReservationRow row);
  // REQUIRES that the row exists.
  void remove(std::string_view name);

  // Whether there are lines in no record yet; those lines.
  [[nodiscard]] bool changed() const { return !lines_.empty(); }
  [[nodiscard]] std::string take_lines() { return std::exchange(lines_, {}); }

  [[nodiscard]] std::string state() const;
  // Errors: invalid, limit, with the line.
  [[nodiscard]] Result<void> apply(std::string_view lines);

 private:
  Rows rows_;
  std::string lines_;
};

}  // namespace copse::server
