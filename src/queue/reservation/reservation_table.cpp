// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/reservation_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "queue/reservation/resource_choice.hpp"

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

// Requests prepared for the other engine are invalid for this one.
ReservationTable::ReservationTable(const ReservationTable& other, Engine& engine, QueueSink& sink)
    : engine_(engine),
      sink_(sink),
      all_(other.all_),
      last_(other.last_),
      next_id_(other.next_id_),
      version_(other.version_) {
  for (auto& [number, reservation] : all_) reservation.jobs.forget_prepared();
}

ReservationTable::Numbered::iterator ReservationTable::find(std::string_view name) {
  return std::ranges::find(all_, name,
                           [](const auto& r) -> std::string_view { return r.second.spec.name; });
}

// The reservation that has the node at some time of [start_s, end_s).
const std::string* ReservationTable::holder(PoolId node, std::int64_t start_s,
                                            std::int64_t end_s) const {
  for (const auto& [number, other] : all_) {
    for (const ReservedNodes& time : other.booked) {
      if (time.overlaps(start_s, end_s) && std::ranges::binary_search(time.nodes(), node)) {
        return &other.spec.name;
      }
    }
  }
  return nullptr;
}

// Errors: of the first occurrence whose nodes are not available. If `all`, nothing is booked then;
// else that occurrence is kept without nodes.
Result<void> ReservationTable::book_ahead(BookedReservation& reservation, bool all,
                                          const RevokeConflicting& revoke_conflicting,
                                          const std::vector<JobId>& admitted) {
  const ReservationSpec& spec = reservation.spec;
  Engine& engine = engine_;
  Result<void> out{};
  std::vector<ReservedNodes> made;
  const auto starts = next_starts(spec, reservation.next, engine.now(), engine.options().horizon,
                                  kBookedMax - reservation.booked.size());
  for (const std::int64_t start_s : starts) {
    const std::int64_t end_s = start_s + spec.duration_s;
    auto resources = choose_resources(engine, spec, std::max(start_s, engine.now()), end_s,
                                      [&](PoolId node) { return holder(node, start_s, end_s); });
    if (!resources && out) out = std::unexpected(resources.error());
    if (!resources && all) return out;
    made.emplace_back(start_s, end_s,
                      resources ? std::move(*resources) : ReservedNodes::Resources{}, spec.name,
                      engine.graph());
    if (!resources) continue;
    if (start_s <= engine.now()) made.back().set_admitted(admitted);
  }
  if (!made.empty()) ++version_;
  for (ReservedNodes& time : made) {
    if (!time.nodes().empty()) {
      revoke_conflicting(time);
      time.book(engine, next_id_);
      sink_.reserved(spec.name, time.start_s(), time.end_s(), time.nodes());
    }
    reservation.booked.push_back(std::move(time));
  }
  if (!reservation.active_noted && reservation.is_active(engine.now())) {
    reservation.active_noted = true;
    reservation.jobs.recheck();
  }
  return out;
}

Result<std::vector<ReservationLoss>> ReservationTable::book(
    std::uint32_t number, const RevokeConflicting& revoke_conflicting,
    const std::vector<JobId>& admitted) {
  BookedReservation& reservation = all_.at(number);
  if (auto ok = book_ahead(reservation, true, revoke_conflicting, admitted); !ok)
    return std::unexpected(ok.error());
  if (reservation.booked.empty()) {
    return fail(ErrorCode::invalid,
                fmt::format("the reservation \"{}\" has already ended", reservation.spec.name));
  }
  return reservation.losses(engine_);
}

Result<void> ReservationTable::check_new(const ReservationSpec& spec) {
  if (auto ok = check_reservation(spec, engine_.options().horizon); !ok) return ok;
  if (find(spec.name) != all_.end()) {
    return fail(ErrorCode::exists, fmt::format("there is a reservation \"{}\" already", spec.name));
  }
  if (all_.size() >= kReservationsMax) {
    return fail(ErrorCode::limit, fmt::format("more than {} reservations", kReservationsMax));
  }
  return {};
}

Result<std::vector<ReservationLoss>> ReservationTable::add(
    const ReservationSpec& spec, const RevokeConflicting& revoke_conflicting) {
  if (auto ok = check_new(spec); !ok) return std::unexpected(ok.error());
  const std::uint32_t number = ++last_;
  all_[number].spec = spec;
  auto out = book(number, revoke_conflicting);
  if (!out) {
    all_.at(number).release(engine_);
    all_.erase(number);
  }
  return out;
}

// Nodes are found by their names. Ended occurrences are left to advance().
Result<void> ReservationTable::resume(const ReservationSpec& spec,
                                      std::span<const BookedOccurrence> times,
                                      std::span<const JobId> admitted) {
  if (auto ok = check_new(spec); !ok) return ok;
  Engine& engine = engine_;
  const ResourceGraph& graph = engine.graph();
  ++version_;
  BookedReservation& reservation = all_[++last_];
  reservation.spec = spec;
  for (const BookedOccurrence& was : times) {
    ReservedNodes& time =
        reservation.booked.emplace_back(was.start_s, was.start_s + spec.duration_s,
                                        ReservedNodes::resources_of(was, graph), spec.name, graph);
    const bool is_active = was.start_s <= engine.now();
    time.resume(engine, is_active ? std::vector<JobId>(admitted.begin(), admitted.end())
                                  : std::vector<JobId>());
    for (const JobId id : time.grants()) next_id_ = std::max(next_id_, id + 1);
    reservation.next = spec.number_at(was.start_s) + 1;
  }
  reservation.active_noted = reservation.is_active(engine.now());
  reservation.jobs.recheck();
  return {};
}

std::map<std::string, std::vector<BookedOccurrence>> ReservationTable::booked() const {
  std::map<std::string, std::vector<BookedOccurrence>> out;
  for (const auto& [number, reservation] : all_) {
    auto& times = out[reservation.spec.name];
    for (const ReservedNodes& time : reservation.booked) times.push_back(time.booked());
  }
  return out;
}

Result<std::vector<ReservationLoss>> ReservationTable::change(
    const ReservationSpec& spec, const RevokeConflicting& revoke_conflicting) {
  if (auto ok = check_reservation(spec, engine_.options().horizon); !ok)
    return std::unexpected(ok.error());
  const auto at = find(spec.name);
  if (at == all_.end()) {
    return fail(ErrorCode::not_found, fmt::format("there is no reservation \"{}\"", spec.name));
  }
  BookedReservation& reservation = at->second;
  ReservationSpec old_spec = std::exchange(reservation.spec, spec);
  const std::int64_t old_next = std::exchange(reservation.next, 0);
  const bool old_begun = reservation.active_noted;
  reservation.release(engine_);
  std::vector<ReservedNodes> old = std::exchange(reservation.booked, {});
  ++version_;
  auto out = book(at->first, revoke_conflicting,
                  old_begun && !old.empty() ? old.front().admitted() : std::vector<JobId>());
  if (!out) {
    reservation.release(engine_);
    reservation.spec = std::move(old_spec);
    reservation.next = old_next;
    reservation.active_noted = old_begun;
    reservation.booked = std::move(old);
    for (ReservedNodes& time : reservation.booked) time.book(engine_, next_id_);
  }
  reservation.jobs.forget_prepared();
  reservation.jobs.recheck();
  return out;
}

std::vector<ReservationView> ReservationTable::view() const {
  std::vector<ReservationView> out;
  for (const auto& [number, reservation] : all_) {
    out.push_back(reservation.view(engine_));
  }
  std::ranges::sort(out, {}, &ReservationView::name);
  return out;
}

std::optional<std::int64_t> ReservationTable::next_time() const {
  std::optional<std::int64_t> out;
  for (const auto& [number, reservation] : all_) {
    const auto time_s = reservation.next_time();
    if (time_s) out = out ? std::min(*out, *time_s) : *time_s;
  }
  return out;
}

std::uint32_t ReservationTable::number(std::string_view name) const {
  const auto at = std::ranges::find(
      all_, name, [](const auto& r) -> std::string_view { return r.second.spec.name; });
  return at == all_.end() ? 0 : at->first;
}

std::optional<ReservationReason> ReservationTable::owner(JobId grant) const {
  if (!is_reservation(grant)) return std::nullopt;
  for (const auto& [number, reservation] : all_) {
    const ReservedNodes* time = reservation.owner(grant);
    if (time == nullptr) continue;
    return ReservationReason{reservation.spec.name, time->start_s(), time->end_s(), false};
  }
  return std::nullopt;
}

ReservationTable::Numbered::iterator ReservationTable::erase(Numbered::iterator at) {
  at->second.release(engine_);
  ++version_;
  return all_.erase(at);
}

bool ReservationTable::drop_ended(BookedReservation& reservation) {
  const bool dropped = reservation.drop_ended(engine_);
  if (dropped) ++version_;
  return dropped;
}

}  // namespace copse::queue
