// SPDX-License-Identifier: Apache-2.0
//
// ReservationBook: the named reservations that a service has, as lines for its journal.
//
// Invariant: all lines of take_lines(), applied in order to a book with the rows of an earlier state,
// make this book. A state is such lines, too.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "server/reservations/reservation_row.hpp"

namespace copse::server {

class ReservationBook {
 public:
  using Rows = std::map<std::string, ReservationRow, std::less<>>;

  [[nodiscard]] const Rows& rows() const { return rows_; }
  [[nodiscard]] const ReservationRow* find(std::string_view name) const;
  // In place of the one of its name, if there is one.
  void put(ReservationRow row);
  // REQUIRES that it is there.
  void remove(std::string_view name);

  // Whether there are lines that are in no record; and those.
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
