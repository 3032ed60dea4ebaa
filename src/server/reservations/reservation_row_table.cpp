// SPDX-License-Identifier: Apache-2.0
#include "server/reservations/reservation_row_table.hpp"

#include <algorithm>

#include <fmt/format.h>

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
  for (std::size_t number = 1; !lines.empty(); ++number) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    auto line = read_reservation_line(lines.substr(0, end));
    if (!line) {
      return fail(line.error().code,
                  fmt::format("line {} about reservations: {}", number, line.error().message()));
    }
    if (line->ended) {
      rows_.erase(line->row.name);
    } else {
      std::string name = line->row.name;
      rows_[std::move(name)] = std::move(line->row);
    }
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return {};
}

}  // namespace copse::server
