// SPDX-License-Identifier: Apache-2.0
#include "server/reservations/reservation_row_table.hpp"

#include "server/jobs/journal_parts.hpp"

namespace copse::server {

const ReservationRow* ReservationRowTable::find(std::string_view name) const {
  const auto at = rows_.find(name);
  return at == rows_.end() ? nullptr : &at->second;
}

void ReservationRowTable::put(ReservationRow row) {
  append_line(lines_, {.row = row});
  rows_[row.name] = std::move(row);
}

void ReservationRowTable::remove(std::string_view name) {
  const auto at = rows_.find(name);
  append_line(lines_, {.row = {.name = at->first}, .ended = true});
  rows_.erase(at);
}

std::string ReservationRowTable::state() const {
  std::string out;
  for (const auto& [name, row] : rows_) append_line(out, {.row = row});
  return out;
}

Result<void> ReservationRowTable::apply(std::string_view lines) {
  return for_each_line(lines, "reservations", [this](std::string_view text) -> Result<void> {
    auto line = read_reservation_line(text);
    if (!line) return std::unexpected(line.error());
    if (line->ended) {
      rows_.erase(line->row.name);
    } else {
      std::string name = line->row.name;
      rows_[std::move(name)] = std::move(line->row);
    }
    return {};
  });
}

}  // namespace copse::server
