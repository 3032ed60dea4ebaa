// SPDX-License-Identifier: Apache-2.0
//
// BookedReservation: one reservation with its booked occurrences in an engine, and the jobs that
// wait for it.
//
// Invariant: `booked` has the occurrences that have not ended, by start.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "queue/reservation/reserved_jobs.hpp"

namespace copse::queue {

struct BookedReservation {
  ReservationSpec spec;
  std::int64_t next = 0;  // number of the next occurrence to be booked
  std::vector<ReservedNodes> booked{};
  ReservedJobs jobs{};
  bool active_noted = false;  // the start of the first of `booked` was handled

  [[nodiscard]] bool is_active(std::int64_t now_s) const {
    return !booked.empty() && booked.front().start_s() <= now_s;
  }
  // When an occurrence next starts or ends.
  [[nodiscard]] std::optional<std::int64_t> next_time() const;
  // Whether it shares resources with the grant, at some time of [from, until).
  [[nodiscard]] bool overlaps(const ResourceGraph& graph, const Grant& grant, std::int64_t from_s,
                              std::int64_t until_s) const;
  // The occurrence that owns this grant; nullptr: none does.
  [[nodiscard]] const ReservedNodes* owner(JobId grant) const;
  [[nodiscard]] std::vector<ReservationLoss> losses(const Engine& engine) const;
  [[nodiscard]] ReservationView view(const Engine& engine) const;

  // Releases the booked resources; the occurrences stay.
  void release(Engine& engine);
  // Removes ended occurrences; true if there was one.
  bool drop_ended(Engine& engine);
  // As ReservedNodes::job_released, for all occurrences.
  bool job_released(Engine& engine, JobId& next_id, JobId job);
  // Pools were renumbered or removed.
  void machine_changed(Engine& engine, JobId& next_id);
};

}  // namespace copse::queue
