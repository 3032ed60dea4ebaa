// SPDX-License-Identifier: Apache-2.0
//
// BookedReservation: one reservation with the times that are booked for it in an engine, and the
// jobs that wait for it.
//
// Invariant: `booked` has its times that are not over, by start.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "queue/reservation/reserved_jobs.hpp"

namespace copse::queue {

struct BookedReservation {
  ReservationSpec spec;
  std::int64_t next = 0;  // number of the next time to be booked
  std::vector<ReservedNodes> booked{};
  ReservedJobs jobs{};
  bool active_noted = false;  // the first of `booked` is_active, and that was seen

  [[nodiscard]] bool is_active(std::int64_t now_s) const {
    return !booked.empty() && booked.front().start_s() <= now_s;
  }
  // When it starts or ends next.
  [[nodiscard]] std::optional<std::int64_t> next_time() const;
  // Whether it has something of the grant, at some time of [from, until).
  [[nodiscard]] bool overlaps(const ResourceGraph& graph, const Grant& grant, std::int64_t from_s,
                              std::int64_t until_s) const;
  // The time whose own grant this is; nullptr: it is of none.
  [[nodiscard]] const ReservedNodes* owner(JobId grant) const;
  [[nodiscard]] std::vector<ReservationLoss> losses(const Engine& engine) const;
  [[nodiscard]] ReservationView view(const Engine& engine) const;

  // What is booked is not had any more; its times stay.
  void release(Engine& engine);
  // Times that are over go; true if there was one.
  bool drop_ended(Engine& engine);
  // As ReservedNodes::job_released, for all times.
  bool job_released(Engine& engine, JobId& next_id, JobId job);
  // Pools have other numbers, or are gone.
  void machine_changed(Engine& engine, JobId& next_id);
};

}  // namespace copse::queue
