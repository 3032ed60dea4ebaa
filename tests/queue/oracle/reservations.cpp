// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle/reservations.hpp"

#include <algorithm>

namespace copse::queue_oracle {

namespace {

constexpr std::size_t kAhead = 8;

}  // namespace

std::vector<ReservedTime> Reservation::to_book(Time now, Time horizon) {
  std::vector<ReservedTime> out;
  const std::int64_t all = booking.every == 0 ? 1 : booking.count;
  for (; next < all && times.size() + out.size() < kAhead; ++next) {
    const Time from = booking.start + next * booking.every, until = from + booking.duration;
    if (until > horizon) break;
    if (until > now) out.push_back({from, until});
  }
  return out;
}

bool Reservation::more(Time horizon) const {
  const std::int64_t all = booking.every == 0 ? 1 : booking.count;
  return next < all && booking.start + next * booking.every + booking.duration <= horizon;
}

int Reservations::find(int name) const {
  const auto at =
      std::ranges::find_if(all, [&](const auto& r) { return r.second.booking.name == name; });
  return at == all.end() ? 0 : at->first;
}

bool Reservations::has(int node, Time from, Time until) const {
  return std::ranges::any_of(all, [&](const auto& reservation) {
    return std::ranges::any_of(reservation.second.times, [&](const ReservedTime& time) {
      return time.at(from, until) && std::ranges::count(time.nodes, node) > 0;
    });
  });
}

std::set<Time> Reservations::ends() const {
  std::set<Time> out;
  for (const auto& [number, reservation] : all) {
    for (const ReservedTime& time : reservation.times) out.insert(time.until);
  }
  return out;
}

}  // namespace copse::queue_oracle
