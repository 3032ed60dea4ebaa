// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/reservations.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "base/saturating.hpp"
#include "queue/reservation/reserved_nodes.hpp"
#include "queue/shared_parts.hpp"
#include "text/counted.hpp"

namespace copse::queue {

namespace {

struct NamedOccurrence {
  const std::string* name = nullptr;  // of the reservation
  ReservedNodes time;
};

// Occurrences that overlap the job's time are removed in the order of their starts, until the job
// fits: the result is the first occurrence of that reservation. None: the job fits with all of
// them, or not even without them. REQUIRES that the job waits. Cost: a clone, and a match per
// occurrence.
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

Waiter waiter_at(const JobTable& jobs, Slot slot) {
  return {jobs[slot].position, slot, jobs[slot].duration_s};
}

}  // namespace

Reservations::Reservations(const Reservations& other, const SharedParts& shared)
    : shared_(shared),
      table_(other.table_, shared.engine, shared.sink),
      orphaned_(other.orphaned_) {}

// --- Reservations

// Includes jobs on hold: they would wait for it when they are released.
void Reservations::orphan_jobs(std::uint32_t number, const std::string& why) {
  std::vector<Slot> slots;
  for (const auto& [id, slot] : shared_.jobs.slots()) {
    const JobState state = shared_.jobs[slot].state;
    if (shared_.jobs[slot].reservation == number && state != JobState::running)
      slots.push_back(slot);
  }
  std::ranges::sort(slots, {}, [this](Slot slot) { return shared_.jobs[slot].position; });
  for (const Slot slot : slots) {
    shared_.jobs[slot].reservation = 0;
    orphaned_.push_back({slot, why});
  }
  table_.all().at(number).jobs.clear();
}

Result<void> Reservations::remove(std::string_view name) {
  const auto at = table_.find(name);
  if (at == table_.all().end()) {
    return fail(ErrorCode::not_found, fmt::format("there is no reservation \"{}\"", name));
  }
  orphan_jobs(at->first, fmt::format("the reservation \"{}\" was cancelled", name));
  table_.erase(at);
  return {};
}

bool Reservations::advance(const ReservationTable::RevokeConflicting& revoke_conflicting) {
  bool ended = false;
  for (auto at = table_.all().begin(); at != table_.all().end();) {
    BookedReservation& reservation = at->second;
    ended = table_.drop_ended(reservation) || ended;
    [[maybe_unused]] const auto missed = table_.book_ahead(reservation, false, revoke_conflicting);
    if (!reservation.booked.empty()) {
      ++at;
      continue;
    }
    orphan_jobs(at->first, fmt::format("the reservation \"{}\" has ended", reservation.spec.name));
    at = table_.erase(at);
  }
  return ended;
}

// --- Jobs

Result<std::uint32_t> Reservations::find(std::string_view name, std::string_view user,
                                         std::int64_t duration_s) const {
  std::vector<std::string_view> known;
  for (const auto& [number, reservation] : table_.all()) {
    const ReservationSpec& spec = reservation.spec;
    known.emplace_back(spec.name);
    if (spec.name != name) continue;
    if (auto ok = check_admission(spec, user, duration_s); !ok) return std::unexpected(ok.error());
    return number;
  }
  return fail(ErrorCode::not_found, unknown_word("reservation", name, known));
}

// Checks the first occurrence only: all have the same number of nodes, of the same kind.
Result<void> Reservations::check_fits(std::uint32_t number, std::uint32_t kind) {
  BookedReservation& named = table_.all().at(number);
  const ReservedNodes& first = named.booked.front();
  if (named.jobs.could_fit(shared_, first, kind)) return {};
  return fail(ErrorCode::infeasible,
              fmt::format("reservation \"{}\" has {}, which can never serve what the job asks for",
                          named.spec.name, counted(first.nodes().size(), "node")));
}

void Reservations::insert(Slot slot) {
  table_.all().at(shared_.jobs[slot].reservation).jobs.insert(waiter_at(shared_.jobs, slot));
}

void Reservations::erase(Slot slot) {
  const auto at = table_.all().find(shared_.jobs[slot].reservation);
  if (at != table_.all().end()) at->second.jobs.erase(waiter_at(shared_.jobs, slot));
}

std::size_t Reservations::waiting() const {
  std::size_t out = 0;
  for (const auto& [number, reservation] : table_.all()) out += reservation.jobs.waiting().size();
  return out;
}

std::optional<JobId> Reservations::first() const {
  for (const auto& [number, reservation] : table_.all()) {
    const auto& waiting = reservation.jobs.waiting();
    if (!waiting.empty()) return shared_.jobs[waiting.begin()->slot].id;
  }
  return std::nullopt;
}

bool Reservations::job_released(JobId job) {
  bool out = false;
  for (auto& [number, reservation] : table_.all()) {
    out = reservation.job_released(shared_.engine, table_.next_id(), job) || out;
  }
  return out;
}

bool Reservations::overlap(JobId job, std::int64_t from_s, std::int64_t until_s) const {
  const Grant* grant = shared_.engine.grant(job);
  if (grant == nullptr) return false;
  return std::ranges::any_of(table_.all(), [&](const auto& r) {
    return r.second.overlaps(shared_.engine.graph(), *grant, from_s, until_s);
  });
}

// Wraps `set_end` for each occurrence that the job runs into; the last one calls it.
Result<void> Reservations::extend(JobId job, std::int64_t end_s,
                                  const std::function<Result<void>()>& set_end) {
  std::function<Result<void>()> next = set_end;
  for (auto& [number, reservation] : table_.all()) {
    for (ReservedNodes& time : reservation.booked) {
      if (!time.overlaps(shared_.engine.now(), end_s)) continue;
      next = [this, &time, job, inner = std::move(next)] {
        return time.extend(shared_.engine, table_.next_id(), job, inner);
      };
    }
  }
  return next();
}

void Reservations::machine_changed() {
  for (auto& [number, reservation] : table_.all()) {
    reservation.machine_changed(shared_.engine, table_.next_id());
  }
}

void Reservations::recheck() {
  for (auto& [number, reservation] : table_.all()) reservation.jobs.recheck();
}

void Reservations::forget_kind(std::uint32_t kind) {
  for (auto& [number, reservation] : table_.all()) reservation.jobs.forget_kind(kind);
}

// --- A pass

void Reservations::begin() {
  for (auto& [number, reservation] : table_.all()) reservation.jobs.begin();
}

bool Reservations::run(WorkBudget& budget) {
  for (auto& [number, reservation] : table_.all()) {
    if (!reservation.is_active(shared_.engine.now())) continue;
    if (!reservation.jobs.run(shared_, reservation.spec, reservation.booked.front(),
                              table_.next_id(), budget))
      return false;
  }
  return true;
}

std::optional<ReservationReason> Reservations::reason(Slot slot) const {
  const QueuedJob& job = shared_.jobs[slot];
  if (job.state == JobState::running || job.state == JobState::on_hold) return std::nullopt;
  if (job.reservation != 0) {
    const BookedReservation& named = table_.all().at(job.reservation);
    const ReservedNodes& first = named.booked.front();
    return ReservationReason{named.spec.name, first.start_s(), first.end_s(), true};
  }
  const std::int64_t now_s = shared_.engine.now();
  const std::int64_t end_s =
      job.duration_s == 0 ? INT64_MAX : saturating_sum(now_s, job.duration_s);
  std::vector<NamedOccurrence> times;
  for (const auto& [number, reservation] : table_.all()) {
    for (const ReservedNodes& time : reservation.booked) {
      if (time.overlaps(now_s, end_s)) times.push_back({&reservation.spec.name, time});
    }
  }
  return blocking_reservation(shared_, job, std::move(times));
}

void Reservations::check() const {
  for (const auto& [number, reservation] : table_.all()) {
    for (const Waiter& waiter : reservation.jobs.waiting()) {
      assert(shared_.jobs[waiter.slot].reservation == number);
      assert(shared_.jobs[waiter.slot].state == JobState::waiting);
      (void)waiter;
    }
    for (std::size_t i = 1; i < reservation.booked.size(); ++i) {
      assert(reservation.booked[i - 1].end_s() <= reservation.booked[i].start_s());
    }
  }
}

}  // namespace copse::queue
