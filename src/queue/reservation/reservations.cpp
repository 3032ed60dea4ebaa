// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/reservations.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "base/saturating.hpp"
#include "queue/reservation/room_choice.hpp"
#include "queue/reservation/time_in_way.hpp"
#include "text/counted.hpp"

namespace copse::queue {

namespace {

Waiter waiter_at(const JobTable& jobs, Slot slot) {
  return {jobs[slot].place, slot, jobs[slot].duration_s};
}

}  // namespace

// Requests that were prepared for the other engine are not for this one.
Reservations::Reservations(const Reservations& other, const SharedParts& shared)
    : shared_(shared),
      all_(other.all_),
      last_(other.last_),
      next_id_(other.next_id_),
      version_(other.version_),
      stranded_(other.stranded_) {
  for (auto& [number, reservation] : all_) reservation.jobs.forget_prepared();
}

// --- Reservations

Reservations::Numbered::iterator Reservations::find(std::string_view name) {
  return std::ranges::find(all_, name,
                           [](const auto& r) -> std::string_view { return r.second.spec.name; });
}

// Whose the node is at some time of [start_s, end_s).
const std::string* Reservations::holder(PoolId node, std::int64_t start_s,
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

// What a queue before this one, or who else has the engine, reserved is nobody's guest.
Result<void> Reservations::check_free(const ReservedNodes& time) const {
  const Engine& engine = shared_.engine;
  const std::vector<JobId> jobs = engine.jobs();
  for (auto at = std::ranges::lower_bound(jobs, kReservationIds); at != jobs.end(); ++at) {
    if (owner(*at) || !time.stands_in_way(engine.graph(), *engine.grant(*at))) continue;
    return fail(ErrorCode::exists,
                fmt::format("nodes of it are reserved by the grant {}, which is none of a "
                            "reservation of this queue",
                            *at));
  }
  return {};
}

// Errors: of the first time whose nodes are not to be had. If `all`, nothing is booked then; else
// such a time is there without nodes.
Result<void> Reservations::book_ahead(BookedReservation& reservation, bool all,
                                      const ClearWay& clear_way, const std::vector<JobId>& inside) {
  const ReservationSpec& spec = reservation.spec;
  Engine& engine = shared_.engine;
  Result<void> out{};
  std::vector<ReservedNodes> made;
  const auto starts = next_starts(spec, reservation.next, engine.now(), engine.options().horizon,
                                  kBookedMax - reservation.booked.size());
  for (const std::int64_t start_s : starts) {
    const std::int64_t end_s = start_s + spec.duration_s;
    auto room = choose_room(engine, spec, std::max(start_s, engine.now()), end_s,
                            [&](PoolId node) { return holder(node, start_s, end_s); });
    if (!room && out) out = std::unexpected(room.error());
    if (!room && all) return out;
    made.emplace_back(start_s, end_s, room ? std::move(*room) : ReservedNodes::Room{}, spec.name,
                      engine.graph());
    if (!room) continue;
    if (start_s <= engine.now()) made.back().let_in(inside);
    if (auto ok = check_free(made.back()); !ok) {
      if (all) return ok;
      if (out) out = std::move(ok);
      made.back() = ReservedNodes(start_s, end_s, {}, spec.name, engine.graph());
    }
  }
  if (!made.empty()) ++version_;
  for (ReservedNodes& time : made) {
    if (!time.nodes().empty()) {
      clear_way(time);
      time.book(engine, next_id_);
      shared_.sink.reserved(spec.name, time.start_s(), time.end_s(), time.nodes());
    }
    reservation.booked.push_back(std::move(time));
  }
  if (!reservation.begun && reservation.lasts(engine.now())) {
    reservation.begun = true;
    reservation.jobs.look_again();
  }
  return out;
}

Result<std::vector<ReservationLoss>> Reservations::book(std::uint32_t number,
                                                        const ClearWay& clear_way,
                                                        const std::vector<JobId>& inside) {
  BookedReservation& reservation = all_.at(number);
  if (auto ok = book_ahead(reservation, true, clear_way, inside); !ok)
    return std::unexpected(ok.error());
  if (reservation.booked.empty()) {
    return fail(ErrorCode::invalid,
                fmt::format("the reservation \"{}\" is over already", reservation.spec.name));
  }
  return reservation.losses(shared_.engine);
}

Result<void> Reservations::check_new(const ReservationSpec& spec) {
  if (auto ok = check_reservation(spec, shared_.engine.options().horizon); !ok) return ok;
  if (find(spec.name) != all_.end()) {
    return fail(ErrorCode::exists, fmt::format("there is a reservation \"{}\" already", spec.name));
  }
  if (all_.size() >= kReservationsMax) {
    return fail(ErrorCode::limit, fmt::format("more than {} reservations", kReservationsMax));
  }
  return {};
}

Result<std::vector<ReservationLoss>> Reservations::add(const ReservationSpec& spec,
                                                       const ClearWay& clear_way) {
  if (auto ok = check_new(spec); !ok) return std::unexpected(ok.error());
  const std::uint32_t number = ++last_;
  all_[number].spec = spec;
  auto out = book(number, clear_way);
  if (!out) {
    all_.at(number).give_back(shared_.engine);
    all_.erase(number);
  }
  return out;
}

// Nodes are known by their names. What is over is left for advance().
Result<void> Reservations::resume(const ReservationSpec& spec, std::span<const BookedTime> times,
                                  std::span<const JobId> inside) {
  if (auto ok = check_new(spec); !ok) return ok;
  Engine& engine = shared_.engine;
  const ResourceGraph& graph = engine.graph();
  BookedReservation& reservation = all_[++last_];
  reservation.spec = spec;
  for (const BookedTime& was : times) {
    ReservedNodes& time =
        reservation.booked.emplace_back(was.start_s, was.start_s + spec.duration_s,
                                        ReservedNodes::room_of(was, graph), spec.name, graph);
    const bool lasts = was.start_s <= engine.now();
    time.resume(engine,
                lasts ? std::vector<JobId>(inside.begin(), inside.end()) : std::vector<JobId>());
    for (const JobId id : time.grants()) next_id_ = std::max(next_id_, id + 1);
    reservation.next = (was.start_s - spec.start_s) / std::max<std::int64_t>(spec.every_s, 1) + 1;
  }
  reservation.begun = reservation.lasts(engine.now());
  reservation.jobs.look_again();
  return {};
}

std::map<std::string, std::vector<BookedTime>> Reservations::booked() const {
  std::map<std::string, std::vector<BookedTime>> out;
  for (const auto& [number, reservation] : all_) {
    auto& times = out[reservation.spec.name];
    for (const ReservedNodes& time : reservation.booked) times.push_back(time.booked());
  }
  return out;
}

Result<std::vector<ReservationLoss>> Reservations::change(const ReservationSpec& spec,
                                                          const ClearWay& clear_way) {
  if (auto ok = check_reservation(spec, shared_.engine.options().horizon); !ok)
    return std::unexpected(ok.error());
  const auto at = find(spec.name);
  if (at == all_.end()) {
    return fail(ErrorCode::not_found, fmt::format("there is no reservation \"{}\"", spec.name));
  }
  BookedReservation& reservation = at->second;
  ReservationSpec old_spec = std::exchange(reservation.spec, spec);
  const std::int64_t old_next = std::exchange(reservation.next, 0);
  const bool old_begun = reservation.begun;
  reservation.give_back(shared_.engine);
  std::vector<ReservedNodes> old = std::exchange(reservation.booked, {});
  ++version_;
  auto out = book(at->first, clear_way,
                  old_begun && !old.empty() ? old.front().inside() : std::vector<JobId>());
  if (!out) {
    reservation.give_back(shared_.engine);
    reservation.spec = std::move(old_spec);
    reservation.next = old_next;
    reservation.begun = old_begun;
    reservation.booked = std::move(old);
    for (ReservedNodes& time : reservation.booked) time.book(shared_.engine, next_id_);
  }
  reservation.jobs.forget_prepared();
  reservation.jobs.look_again();
  return out;
}

// Those held, too: they would wait for it when they are released.
void Reservations::strand(std::uint32_t number, const std::string& why) {
  std::vector<Slot> slots;
  for (const auto& [id, slot] : shared_.jobs.slots()) {
    const JobState state = shared_.jobs[slot].state;
    if (shared_.jobs[slot].reservation == number && state != JobState::running)
      slots.push_back(slot);
  }
  std::ranges::sort(slots, {}, [this](Slot slot) { return shared_.jobs[slot].place; });
  for (const Slot slot : slots) {
    shared_.jobs[slot].reservation = 0;
    stranded_.push_back({slot, why});
  }
  all_.at(number).jobs.clear();
}

Result<void> Reservations::remove(std::string_view name) {
  const auto at = find(name);
  if (at == all_.end()) {
    return fail(ErrorCode::not_found, fmt::format("there is no reservation \"{}\"", name));
  }
  at->second.give_back(shared_.engine);
  strand(at->first, fmt::format("the reservation \"{}\" was cancelled", name));
  all_.erase(at);
  ++version_;
  return {};
}

bool Reservations::advance(const ClearWay& clear_way) {
  bool over = false;
  for (auto at = all_.begin(); at != all_.end();) {
    BookedReservation& reservation = at->second;
    const bool dropped = reservation.drop_over(shared_.engine);
    if (dropped) ++version_;
    over = over || dropped;
    [[maybe_unused]] const auto missed = book_ahead(reservation, false, clear_way);
    if (reservation.booked.empty()) {
      strand(at->first, fmt::format("the reservation \"{}\" is over", reservation.spec.name));
      at = all_.erase(at);
      continue;
    }
    ++at;
  }
  return over;
}

std::vector<ReservationView> Reservations::view() const {
  std::vector<ReservationView> out;
  for (const auto& [number, reservation] : all_) {
    out.push_back(reservation.view(shared_.engine));
  }
  std::ranges::sort(out, {}, &ReservationView::name);
  return out;
}

std::optional<std::int64_t> Reservations::next_time() const {
  std::optional<std::int64_t> out;
  for (const auto& [number, reservation] : all_) {
    const auto time_s = reservation.next_time();
    if (time_s) out = out ? std::min(*out, *time_s) : *time_s;
  }
  return out;
}

// --- Jobs

Result<std::uint32_t> Reservations::find(std::string_view name, std::string_view user,
                                         std::int64_t duration_s) const {
  std::vector<std::string_view> known;
  for (const auto& [number, reservation] : all_) {
    const ReservationSpec& spec = reservation.spec;
    known.emplace_back(spec.name);
    if (spec.name != name) continue;
    if (auto ok = lets_in(spec, user, duration_s); !ok) return std::unexpected(ok.error());
    return number;
  }
  return fail(ErrorCode::not_found, unknown_word("reservation", name, known));
}

std::uint32_t Reservations::number(std::string_view name) const {
  const auto at = std::ranges::find(
      all_, name, [](const auto& r) -> std::string_view { return r.second.spec.name; });
  return at == all_.end() ? 0 : at->first;
}

// The first of its times stands for all: each has as many nodes, and of the same kind.
Result<void> Reservations::check_fits(std::uint32_t number, std::uint32_t kind) {
  BookedReservation& named = all_.at(number);
  const ReservedNodes& first = named.booked.front();
  if (named.jobs.could_fit(shared_, first, kind)) return {};
  return fail(ErrorCode::infeasible,
              fmt::format("reservation \"{}\" has {}, which can never serve what the job asks for",
                          named.spec.name, counted(first.nodes().size(), "node")));
}

void Reservations::insert(Slot slot) {
  all_.at(shared_.jobs[slot].reservation).jobs.insert(waiter_at(shared_.jobs, slot));
}

void Reservations::erase(Slot slot) {
  const auto at = all_.find(shared_.jobs[slot].reservation);
  if (at != all_.end()) at->second.jobs.erase(waiter_at(shared_.jobs, slot));
}

std::size_t Reservations::waiting() const {
  std::size_t out = 0;
  for (const auto& [number, reservation] : all_) out += reservation.jobs.waiting().size();
  return out;
}

std::optional<JobId> Reservations::first() const {
  for (const auto& [number, reservation] : all_) {
    const auto& waiting = reservation.jobs.waiting();
    if (!waiting.empty()) return shared_.jobs[waiting.begin()->slot].id;
  }
  return std::nullopt;
}

bool Reservations::given_back(JobId job) {
  bool out = false;
  for (auto& [number, reservation] : all_) {
    out = reservation.given_back(shared_.engine, next_id_, job) || out;
  }
  return out;
}

bool Reservations::have(JobId job, std::int64_t from_s, std::int64_t until_s) const {
  const Grant* grant = shared_.engine.grant(job);
  if (grant == nullptr) return false;
  return std::ranges::any_of(all_, [&](const auto& r) {
    return r.second.has_of(shared_.engine.graph(), *grant, from_s, until_s);
  });
}

// Each of those it runs into in turn; the last one has its way.
Result<void> Reservations::run_on(JobId job, std::int64_t end_s,
                                  const std::function<Result<void>()>& set_end) {
  std::function<Result<void>()> next = set_end;
  for (auto& [number, reservation] : all_) {
    for (ReservedNodes& time : reservation.booked) {
      if (!time.overlaps(shared_.engine.now(), end_s)) continue;
      next = [this, &time, job, inner = std::move(next)] {
        return time.run_on(shared_.engine, next_id_, job, inner);
      };
    }
  }
  return next();
}

void Reservations::machine_changed() {
  for (auto& [number, reservation] : all_) {
    reservation.machine_changed(shared_.engine, next_id_);
  }
}

void Reservations::look_again() {
  for (auto& [number, reservation] : all_) reservation.jobs.look_again();
}

void Reservations::forget_kind(std::uint32_t kind) {
  for (auto& [number, reservation] : all_) reservation.jobs.forget_kind(kind);
}

// --- A pass

void Reservations::begin() {
  for (auto& [number, reservation] : all_) reservation.jobs.begin();
}

bool Reservations::go_on(Slice& slice) {
  for (auto& [number, reservation] : all_) {
    if (!reservation.lasts(shared_.engine.now())) continue;
    if (!reservation.jobs.go_on(shared_, reservation.spec, reservation.booked.front(), next_id_,
                                slice))
      return false;
  }
  return true;
}

// --- Reasons

std::optional<ReservationReason> Reservations::owner(JobId grant) const {
  if (grant < kReservationIds) return std::nullopt;
  for (const auto& [number, reservation] : all_) {
    const ReservedNodes* time = reservation.owner(grant);
    if (time == nullptr) continue;
    return ReservationReason{reservation.spec.name, time->start_s(), time->end_s(), false};
  }
  return std::nullopt;
}

std::optional<ReservationReason> Reservations::reason(Slot slot) const {
  const QueuedJob& job = shared_.jobs[slot];
  if (job.state == JobState::running || job.state == JobState::held) return std::nullopt;
  if (job.reservation != 0) {
    const BookedReservation& named = all_.at(job.reservation);
    const ReservedNodes& first = named.booked.front();
    return ReservationReason{named.spec.name, first.start_s(), first.end_s(), true};
  }
  const std::int64_t now_s = shared_.engine.now();
  const std::int64_t end_s =
      job.duration_s == 0 ? INT64_MAX : saturating_sum(now_s, job.duration_s);
  std::vector<TimeInWay> times;
  for (const auto& [number, reservation] : all_) {
    for (const ReservedNodes& time : reservation.booked) {
      if (time.overlaps(now_s, end_s)) times.push_back({&reservation.spec.name, time});
    }
  }
  return in_way(shared_, job, std::move(times));
}

void Reservations::check() const {
  for (const auto& [number, reservation] : all_) {
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
