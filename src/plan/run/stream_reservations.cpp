// SPDX-License-Identifier: Apache-2.0
#include "plan/run/stream_reservations.hpp"

#include <algorithm>

#include "base/saturating.hpp"
#include "queue/refusal.hpp"

namespace copse::plan {

namespace {

constexpr std::int64_t kQuietMax_s =
    (static_cast<std::int64_t>(queue::kBookedMax) + 1) * queue::kWeek_s;

// The end of its last occurrence; 0 if it repeats without end.
std::int64_t last_end_s(const queue::ReservationSpec& spec) {
  const std::int64_t first_end_s = saturating_sum(spec.start_s, spec.duration_s);
  if (spec.every_s == 0) return first_end_s;
  if (spec.count == INT64_MAX && spec.until_s == INT64_MAX) return 0;
  const std::int64_t last_s = spec.count == INT64_MAX
                                  ? INT64_MAX
                                  : saturating_sum(spec.start_of(spec.count - 1), spec.duration_s);
  return std::min(last_s, saturating_sum(spec.until_s, spec.duration_s));
}

}  // namespace

void QuietTime::expect_until(std::int64_t time_s) {
  news_until_s_ = std::max(news_until_s_, time_s);
}

void QuietTime::expect(const queue::ReservationSpec& spec) { expect_until(last_end_s(spec)); }

bool QuietTime::is_final(std::int64_t now_s) {
  if (!since_s_) since_s_ = std::max(now_s, news_until_s_);
  return now_s - *since_s_ > kQuietMax_s;
}

Result<void> StreamReservations::book_all() {
  for (const JobId job : engine_.jobs()) {
    const std::int64_t end_s = engine_.grant(job)->end;
    if (end_s < engine_.options().horizon) quiet_.expect_until(end_s);
  }
  for (std::size_t r = 0; r < jobs_.reservations.size(); ++r) {
    const queue::ReservationSpec& spec = jobs_.reservations[r];
    const bool placed = r < jobs_.reservation_places.size();
    if (auto ok = book(spec); !ok) {
      return fail(ok.error().code, ok.error().text,
                  placed ? jobs_.reservation_places[r] : SourceLocation());
    }
  }
  for (std::size_t r = 0; r < jobs_.later_reservations.size(); ++r) {
    if (auto ok = check(jobs_.later_reservations[r]); !ok) {
      return fail(ok.error().code, ok.error().text, jobs_.later_places[r]);
    }
  }
  return {};
}

// Refuses reservations that are invalid, or never fit the machine, before any job runs.
Result<void> StreamReservations::check(const queue::ReservationSpec& spec) {
  auto ok = queue::check_reservation(spec, engine_.options().horizon);
  if (ok && spec.request) {
    auto request = engine_.prepare(*spec.request);
    if (request) request->set_duration(1);
    if (!request) {
      ok = std::unexpected(queue::refusal(engine_, *spec.request, request.error()));
    } else if (const auto fits = engine_.match(Operation::satisfiability, *request, 0); !fits) {
      ok = std::unexpected(queue::refusal(engine_, *request, fits.error()));
    }
  }
  if (ok) return ok;
  return fail(ok.error().code, "reservation \"" + spec.name + "\": " + ok.error().text);
}

Result<void> StreamReservations::book(const queue::ReservationSpec& spec) {
  quiet_.expect(spec);
  const auto losses = queue_.reserve(spec);
  if (!losses) {
    return fail(losses.error().code, "reservation \"" + spec.name + "\": " + losses.error().text);
  }
  for (const queue::ReservationLoss& loss : *losses) {
    if (observer_.lost) observer_.lost(spec.name, loss, job_name_(loss.job));
  }
  return {};
}

}  // namespace copse::plan
