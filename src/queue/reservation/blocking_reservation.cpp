// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/blocking_reservation.hpp"

#include <algorithm>

namespace copse::queue {

std::optional<ReservationReason> blocking_reservation(const SharedParts& shared,
                                                      const QueuedJob& job,
                                                      std::vector<NamedOccurrence> times) {
  if (times.empty()) return std::nullopt;
  std::ranges::stable_sort(times, {}, [](const NamedOccurrence& w) { return w.time.start_s(); });
  const auto clone = shared.engine.clone();
  if (job.state == JobState::promised) {
    [[maybe_unused]] const auto gone = clone->cancel(job.id);
  }
  auto request = clone->prepare(shared.kinds.request(job.kind));
  if (!request) return std::nullopt;
  request->set_duration(job.duration_s);
  const auto fits = [&] {
    return clone->match(Operation::without_allocating, *request, job.id).has_value();
  };
  if (fits()) return std::nullopt;
  for (NamedOccurrence& each : times) {
    each.time.release(*clone);
    if (!fits()) continue;
    // The first occurrence of that reservation, if several block the job.
    const NamedOccurrence& first =
        *std::ranges::find(times, *each.name, [](const NamedOccurrence& w) { return *w.name; });
    return ReservationReason{*first.name, first.time.start_s(), first.time.end_s(), false};
  }
  return std::nullopt;
}

}  // namespace copse::queue
