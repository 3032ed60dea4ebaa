// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/reservation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/saturating.hpp"

namespace copse::queue {

Result<void> check_reservation(const ReservationSpec& spec, std::int64_t horizon_s) {
  if (spec.name.empty()) return fail(ErrorCode::invalid, "a reservation must have a name");
  if (spec.start_s < 0 || spec.duration_s < 1) {
    return fail(ErrorCode::invalid,
                "a reservation must start at 0 or later, and last at least a second");
  }
  if (spec.start_s >= horizon_s || spec.duration_s > horizon_s - spec.start_s) {
    return fail(ErrorCode::invalid,
                fmt::format("a reservation must end by the end of the clock, {}", horizon_s));
  }
  if (spec.every_s < 0 || spec.count < 1) {
    return fail(ErrorCode::invalid, "a reservation must happen at least once");
  }
  if (spec.every_s > 0 && spec.duration_s > spec.every_s) {
    return fail(ErrorCode::invalid,
                fmt::format("a reservation that lasts {} s cannot be repeated after {} s",
                            spec.duration_s, spec.every_s));
  }
  return {};
}

Result<void> check_admission(const ReservationSpec& spec, std::string_view user,
                             std::int64_t duration_s) {
  if (spec.users && std::ranges::find(*spec.users, user) == spec.users->end()) {
    return fail(
        ErrorCode::invalid,
        spec.users->empty()
            ? fmt::format("no job may start in the reservation \"{}\"", spec.name)
            : fmt::format("user \"{}\" may not use the reservation \"{}\"", user, spec.name));
  }
  if (duration_s > spec.duration_s) {
    return fail(ErrorCode::invalid,
                fmt::format("the job asks for {} s, and the reservation \"{}\" lasts {} s",
                            duration_s, spec.name, spec.duration_s));
  }
  return {};
}

std::int64_t ReservationSpec::start_of(std::int64_t n) const {
  if (nth_start == nullptr || n == 0)
    return saturating_sum(start_s, saturating_product(n, every_s));
  return std::max(nth_start(start_s, n), nth_start(start_s, n - 1) + duration_s);
}

// Calendars are at most a day off.
std::int64_t ReservationSpec::number_at(std::int64_t time_s) const {
  if (time_s <= start_s || every_s == 0) return time_s <= start_s ? 0 : 1;
  std::int64_t n = std::max<std::int64_t>((time_s - start_s) / every_s - 2, 0);
  while (start_of(n) < time_s) ++n;
  return n;
}

std::vector<std::int64_t> next_starts(const ReservationSpec& spec, std::int64_t& next,
                                      std::int64_t now_s, std::int64_t horizon_s,
                                      std::size_t most) {
  const std::int64_t times = spec.every_s == 0 ? 1 : spec.count;
  next = std::max(next, spec.number_at(saturating_sum(now_s - spec.duration_s, 1)));
  std::vector<std::int64_t> out;
  for (; out.size() < most && next < times; ++next) {
    const std::int64_t start_s = spec.start_of(next);
    if (start_s >= spec.until_s || start_s > horizon_s - spec.duration_s) break;
    out.push_back(start_s);
  }
  return out;
}

std::optional<OccurrenceSeries> unbooked_series(const ReservationSpec& spec, std::int64_t next,
                                                std::int64_t now_s, std::int64_t horizon_s) {
  const auto first = next_starts(spec, next, now_s, horizon_s, 1);
  if (first.empty()) return std::nullopt;
  OccurrenceSeries out{
      .from_s = first.front(), .last_s = first.front(), .duration_s = spec.duration_s};
  if (spec.every_s == 0) return out;
  out.spec.start_s = spec.start_s;
  out.spec.duration_s = spec.duration_s;
  out.spec.every_s = spec.every_s;
  out.spec.nth_start = spec.nth_start;
  // The last one that starts in time.
  const std::int64_t end_s = std::min(spec.until_s, horizon_s - spec.duration_s + 1);
  out.last_s = spec.start_of(std::min(spec.count, spec.number_at(end_s)) - 1);
  return out;
}

// An occurrence that started `duration_s` before has ended at `from`.
std::optional<std::int64_t> OccurrenceSeries::first_in(std::int64_t from,
                                                       std::int64_t until) const {
  const std::int64_t least_s = std::max(from_s, from - duration_s + 1);
  const std::int64_t start_s = spec.every_s == 0 ? from_s : spec.start_of(spec.number_at(least_s));
  if (start_s < least_s || start_s > last_s || start_s >= until) return std::nullopt;
  return start_s;
}

}  // namespace copse::queue
