// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/reservation_reason.hpp"

#include <string>

#include <fmt/format.h>

#include "base/clock_time.hpp"

namespace copse::queue {

namespace {

// Other jobs use what it needs, or its duration is too long for the reservation.
std::string in_reservation(const ReservationReason& reservation, std::int64_t now_s,
                           std::int64_t duration_s) {
  const std::int64_t left_s = reservation.until_s - now_s;
  if (duration_s <= left_s || duration_s == kEndless_s) {
    return fmt::format(
        "other jobs use the resources that it needs in reservation \"{}\", which ends at {}",
        reservation.name, readable_time(reservation.until_s));
  }
  return fmt::format("reservation \"{}\" ends at {}, before the job would end: ask for {} or less",
                     reservation.name, readable_time(reservation.until_s), readable_time(left_s));
}

}  // namespace

Reason reason_of(const ReservationReason& reservation, std::int64_t now_s,
                 std::int64_t duration_s) {
  Reason out{Reason::Cause::reservation};
  out.reservation = reservation.name;
  const bool lasts = reservation.from_s <= now_s;
  out.from_s = reservation.from_s;
  out.until_s = reservation.until_s;
  out.reserved_for_it = reservation.named;
  if (!reservation.named) {
    out.text =
        fmt::format("reservation \"{}\" holds resources that it needs, {} until {}",
                    reservation.name, lasts ? "now" : "from " + readable_time(reservation.from_s),
                    readable_time(reservation.until_s));
  } else if (lasts) {
    out.text = in_reservation(reservation, now_s, duration_s);
  } else {
    out.text = fmt::format("it waits for reservation \"{}\", which begins at {}", reservation.name,
                           readable_time(reservation.from_s));
  }
  return out;
}

}  // namespace copse::queue
