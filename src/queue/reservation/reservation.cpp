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

std::vector<std::int64_t> next_starts(const ReservationSpec& spec, std::int64_t& next,
                                      std::int64_t now_s, std::int64_t horizon_s,
                                      std::size_t most) {
  const std::int64_t every_s = std::max<std::int64_t>(spec.every_s, 1);
  const std::int64_t times = spec.every_s == 0 ? 1 : spec.count;
  const std::int64_t first_end_s = spec.start_s + spec.duration_s;
  if (first_end_s <= now_s) next = std::max(next, (now_s - first_end_s) / every_s + 1);
  std::vector<std::int64_t> out;
  for (; out.size() < most && next < times; ++next) {
    const std::int64_t start_s = saturating_sum(spec.start_s, saturating_product(next, every_s));
    if (start_s >= spec.until_s || start_s > horizon_s - spec.duration_s) break;
    out.push_back(start_s);
  }
  return out;
}

std::optional<OccurrenceSeries> unbooked_series(const ReservationSpec& spec, std::int64_t next,
                                                std::int64_t now_s, std::int64_t horizon_s) {
  const auto first = next_starts(spec, next, now_s, horizon_s, 1);
  if (first.empty()) return std::nullopt;
  OccurrenceSeries out{first.front(), first.front(), std::max<std::int64_t>(spec.every_s, 1),
                       spec.duration_s};
  if (spec.every_s == 0) return out;
  const std::int64_t more = spec.count - next;  // next_starts() has advanced to the second
  const std::int64_t last_s =
      std::min({saturating_sum(out.from_s, saturating_product(more, out.every_s)), spec.until_s - 1,
                horizon_s - spec.duration_s});
  out.last_s += (last_s - out.from_s) / out.every_s * out.every_s;
  return out;
}

std::optional<std::int64_t> OccurrenceSeries::first_in(std::int64_t from,
                                                       std::int64_t until) const {
  const std::int64_t past_s =
      from - duration_s - from_s;  // an occurrence that started then has ended at `from`
  const std::int64_t over = past_s < 0 ? 0 : past_s / every_s + 1;
  if (over > (last_s - from_s) / every_s) return std::nullopt;
  const std::int64_t start_s = from_s + over * every_s;
  return start_s < until ? std::optional(start_s) : std::nullopt;
}

}  // namespace copse::queue
