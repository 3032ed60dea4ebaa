// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/booked_reservation.hpp"

#include <algorithm>
#include <iterator>

namespace copse::queue {

std::optional<std::int64_t> BookedReservation::next_time() const {
  if (booked.empty()) return std::nullopt;
  return active_noted ? booked.front().end_s() : booked.front().start_s();
}

bool BookedReservation::overlaps(const ResourceGraph& graph, const Grant& grant,
                                 std::int64_t from_s, std::int64_t until_s) const {
  return std::ranges::any_of(booked, [&](const ReservedNodes& time) {
    return time.overlaps(from_s, until_s) && time.has_nodes_of(graph, grant);
  });
}

const ReservedNodes* BookedReservation::owner(JobId grant) const {
  const auto at = std::ranges::find_if(booked, [&](const ReservedNodes& time) {
    return std::ranges::find(time.grants(), grant) != time.grants().end();
  });
  return at == booked.end() ? nullptr : &*at;
}

std::vector<ReservationLoss> BookedReservation::losses(const Engine& engine) const {
  std::vector<ReservationLoss> out;
  for (const ReservedNodes& time : booked) {
    auto losses = time.losses(engine);
    std::ranges::move(losses, std::back_inserter(out));
  }
  return out;
}

ReservationView BookedReservation::view(const Engine& engine) const {
  ReservationView out{spec.name, spec.users, {}, {}, jobs.waiting().size()};
  for (const ReservedNodes& time : booked) {
    out.times.push_back(
        {time.start_s(), time.end_s(), time.nodes(), time.overlapping_jobs(engine)});
  }
  out.later = unbooked_series(spec, next, engine.now(), engine.options().horizon);
  return out;
}

void BookedReservation::release(Engine& engine) {
  for (ReservedNodes& time : booked) time.release(engine);
  active_noted = false;
}

bool BookedReservation::drop_ended(Engine& engine) {
  bool over = false;
  while (!booked.empty() && booked.front().end_s() <= engine.now()) {
    booked.front().release(engine);
    booked.erase(booked.begin());
    jobs.forget_prepared();
    active_noted = false;
    over = true;
  }
  return over;
}

bool BookedReservation::job_released(Engine& engine, JobId& next_id, JobId job) {
  bool freed = false;
  for (ReservedNodes& time : booked) freed = time.job_released(engine, next_id, job) || freed;
  if (freed) jobs.recheck();
  return freed;
}

void BookedReservation::machine_changed(Engine& engine, JobId& next_id) {
  for (ReservedNodes& time : booked) time.refresh_nodes(engine, next_id);
  jobs.forget_prepared();
  jobs.recheck();
}

}  // namespace copse::queue
