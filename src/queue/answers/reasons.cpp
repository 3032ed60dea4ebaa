// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/reasons.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/job_id.hpp"
#include "base/saturating.hpp"
#include "text/counted.hpp"

namespace copse::queue {

namespace {

using Cause = Reason::Cause;

std::string first_sentence(const Explanation& why, const JobNames& names) {
  if (!why.remarks.empty()) return why.remarks.front();
  if (why.findings.empty()) return "there is too little";
  return sentence(why.findings.front(), why.verdict, why.at, names);
}

bool of_a_layer(const Explanation& why) {
  return std::ranges::any_of(why.findings, [](const Finding& f) {
    return f.cause == copse::Cause::supply || f.cause == copse::Cause::supply_apart;
  });
}

// Another job has what it needs; or it asks for too long a time.
std::string in_reservation(const ReservationReason& reservation, std::int64_t now_s,
                           std::int64_t duration_s) {
  const std::int64_t left_s = reservation.until_s - now_s;
  if (duration_s <= left_s || duration_s == kEndless_s) {
    return fmt::format("other jobs use what it needs in reservation \"{}\", which ends at {}",
                       reservation.name, readable_time(reservation.until_s));
  }
  return fmt::format(
      "reservation \"{}\" ends at {}, before the job would: ask for {} or less to fit in",
      reservation.name, readable_time(reservation.until_s), readable_time(left_s));
}

Reason of_reservation(const ReservationReason& reservation, std::int64_t now_s,
                      std::int64_t duration_s) {
  Reason out{Cause::reservation};
  out.reservation = reservation.name;
  const bool lasts = reservation.from_s <= now_s;
  out.from_s = reservation.from_s;
  out.until_s = reservation.until_s;
  out.reserved_for_it = reservation.named;
  if (!reservation.named) {
    out.text = fmt::format("reservation \"{}\" has what it needs, {} until {}", reservation.name,
                           lasts ? "now" : "from " + readable_time(reservation.from_s),
                           readable_time(reservation.until_s));
  } else if (lasts) {
    out.text = in_reservation(reservation, now_s, duration_s);
  } else {
    out.text = fmt::format("it waits for reservation \"{}\", which begins at {}", reservation.name,
                           readable_time(reservation.from_s));
  }
  return out;
}

// Who fits at no time is passed over, and not counted.
std::optional<Reason> beyond_depth(const Line& line, const Place& place, std::size_t ahead) {
  const std::size_t seen = ahead - line.stuck_before(place);
  if (seen < line.depth()) return std::nullopt;
  const std::size_t first = seen - line.depth() + 1;  // to leave
  return Reason{
      Cause::depth,
      fmt::format("the queue looks at its first {} only (queue-depth), and {} ahead; it looks at "
                  "this one when {} started",
                  line.depth() == 1 ? "job" : fmt::format("{} jobs", line.depth()),
                  seen == 1 ? "1 is" : fmt::format("{} are", seen),
                  seen == 1    ? "that has"
                  : first == 1 ? "1 of them has"
                               : fmt::format("{} of them have", first))};
}

bool any_down(const Explanation& why) {
  return std::ranges::any_of(why.findings, [](const Finding& f) {
    return f.candidates.down > 0 || f.cause == copse::Cause::capacity_down;
  });
}

}  // namespace

const char* word(Cause cause) {
  switch (cause) {
    case Cause::starting: return "starting";
    case Cause::held: return "held";
    case Cause::stopped: return "stopped";
    case Cause::depth: return "depth";
    case Cause::in_front: return "in_front";
    case Cause::promises: return "promises";
    case Cause::resources: return "resources";
    case Cause::down: return "down";
    case Cause::constraint: return "constraint";
    case Cause::layer: return "layer";
    case Cause::reservation: return "reservation";
    case Cause::unreachable: return "unreachable";
  }
  return "";
}

JobNames names_with_reservations(const Reservations& reservations, JobNames names) {
  return [names = std::move(names), &reservations](std::uint64_t id) {
    const auto owner = reservations.owner(id);
    return owner ? "reservation \"" + owner->name + '"' : name_of(names, id);
  };
}

Reasons::Reasons(JobQueue& queue, JobNames names)
    : view_(queue.view()), names_(names_with_reservations(view_.reservations, std::move(names))) {}

Reason Reasons::of(JobId id, std::size_t ahead) {
  const Slot slot = view_.jobs.find(id);
  assert(slot != kNoSlot && view_.jobs[slot].state != JobState::running);
  const QueuedJob& job = view_.jobs[slot];
  if (job.reservation != 0 && job.state != JobState::held) {
    const auto named = view_.reservations.reason(slot);
    if (named) return of_named(*named, job);
  }
  const Line& line = view_.lines[job.line];
  if (job.state == JobState::held) return {Cause::held, "it is held until somebody releases it"};
  if (line.stopped()) {
    return {
        Cause::stopped,
        fmt::format("{} is stopped: none of its jobs starts until somebody starts it again, and "
                    "they keep their places",
                    line.name().empty() ? "the queue" : fmt::format("queue \"{}\"", line.name()))};
  }
  if (ahead > 0 && line.in_order()) {
    const JobId first = view_.jobs[line.order().begin()->slot].id;
    return {Cause::in_front,
            fmt::format("job {} is ahead, and no job may overtake it in this queue ({})",
                        name_of(names_, first), line.discipline().name),
            first};
  }
  if (ahead >= line.depth() && job.state != JobState::promised) {
    if (auto beyond = beyond_depth(line, job.place, ahead)) return *beyond;
  }
  Short& kind = short_of(job);
  if (kind.reason) {
    Reason out = *kind.reason;
    add_coming(job, kind, out);
    add_until(job, out);
    return out;
  }
  if (job.duration_s >= kind.fails_s && kind.later.job != id) return kind.later;
  const bool promised = job.state == JobState::promised;
  if (fits(job, job.duration_s) && (!promised || view_.promises.counting())) {
    return {Cause::starting, promised ? "it fits now; its start moves when the queue is looked at"
                                      : "it starts as soon as the queue is looked at"};
  }
  Reason out = blocked(job);
  if (view_.kinds[job.kind].fixed && !promised) {
    kind.fails_s = job.duration_s;
    kind.later = out;
  }
  return out;
}

// Of a reservation that it names; whose nodes may be down, while it lasts.
Reason Reasons::of_named(const ReservationReason& named, const QueuedJob& job) {
  Reason out = of_reservation(named, view_.engine.now(), job.duration_s);
  if (named.from_s > view_.engine.now()) return out;
  const auto [at, is_new] = lasting_.try_emplace(named.name);
  Lasting& lasting = at->second;
  for (const ReservationView& view : view_.reservations.view()) {
    if (!is_new || view.name != named.name || view.times.empty()) continue;
    lasting.nodes = std::ssize(view.times.front().nodes);
    lasting.down = std::ranges::count_if(
        view.times.front().nodes, [&](PoolId node) { return !usable(view_.engine.status(node)); });
  }
  if (lasting.down == 0) return out;
  out.cause = Cause::down;
  out.text = fmt::format("of the {} of reservation \"{}\", {} {} down; it ends at {}",
                         counted(lasting.nodes, "node"), named.name, lasting.down,
                         lasting.down == 1 ? "is" : "are", readable_time(named.until_s));
  return out;
}

bool Reasons::fits(PreparedRequest& request, std::int64_t duration_s) {
  const std::int64_t window_s = view_.engine.options().horizon - view_.engine.now();
  request.set_duration(std::min(duration_s, window_s));
  const auto why = view_.engine.explain(request);
  return why && why->verdict == Verdict::fits;
}

// What the job itself is promised is not in its way: from then on it has what it needs.
bool Reasons::fits(const QueuedJob& job, std::int64_t duration_s) {
  if (job.state == JobState::promised) {
    duration_s = std::min(duration_s, std::max<std::int64_t>(1, job.start_s - view_.engine.now()));
  }
  if (!view_.promises.counting()) {
    return fits(view_.kinds.prepared(job.kind, duration_s), duration_s);
  }
  return fits_counted(duration_s, view_.kinds[job.kind].nodes);
}

bool Reasons::fits_counted(std::int64_t duration_s, std::int64_t nodes) const {
  const std::int64_t now_s = view_.engine.now();
  const std::int64_t window_s = view_.engine.options().horizon - now_s;
  const std::int64_t asked_s = duration_s == 0 ? window_s : std::min(duration_s, window_s);
  return view_.promises.counts().fits(now_s, now_s + asked_s, nodes);
}

Reasons::Short& Reasons::short_of(const QueuedJob& job) {
  const auto [at, is_new] = kinds_.try_emplace(job.kind);
  if (!is_new) return at->second;
  auto why = view_.engine.explain(view_.kinds.prepared(job.kind, 1));
  if (why && why->verdict != Verdict::fits) at->second.reason = too_little(job, std::move(*why));
  return at->second;
}

// Grants of reservations among those that have what it needs: is it for them?
std::optional<Reason> Reasons::reserved(const QueuedJob& job, const Explanation& why) const {
  const bool any = std::ranges::any_of(why.findings, [](const Finding& f) {
    return std::ranges::any_of(f.holders, [](const Holder& h) { return is_reservation(h.job); });
  });
  if (!any) return std::nullopt;
  const auto in_way = view_.reservations.reason(view_.jobs.find(job.id));
  if (!in_way) return std::nullopt;
  return of_reservation(*in_way, view_.engine.now(), job.duration_s);
}

Reason Reasons::too_little(const QueuedJob& job, Explanation why) {
  if (auto by_reservation = reserved(job, why)) return *by_reservation;
  Reason out{Cause::resources, first_sentence(why, names_)};
  const Line& line = view_.lines[job.line];
  if (of_a_layer(why)) {
    out.cause = Cause::layer;
  } else if (line.stuck(job.place)) {
    out.cause = any_down(why) ? Cause::down : Cause::unreachable;
  } else if (!view_.kinds.request(job.kind).constraint.empty()) {
    Request anywhere = view_.kinds.request(job.kind);
    anywhere.constraint = {};
    auto prepared = view_.engine.prepare(std::move(anywhere));
    if (prepared && fits(*prepared, 1)) out.cause = Cause::constraint;
  }
  switch (out.cause) {
    case Cause::down: out.text += "; it waits until enough is up again"; break;
    case Cause::unreachable:
      out.text += "; what is in use has no end, so it waits until somebody ends it";
      break;
    case Cause::constraint: out.text += excluded_by(job); break;
    default: break;
  }
  keep(out, std::move(why));
  return out;
}

void Reasons::keep(Reason& reason, Explanation why) const {
  for (const Finding& finding : why.findings) {
    for (const Holder& holder : finding.holders) {
      if (is_reservation(holder.job)) reason.beside.emplace_back(holder.job, names_(holder.job));
    }
  }
  reason.why = std::move(why);
}

const std::vector<Reasons::Coming>& Reasons::coming() {
  if (coming_) return *coming_;
  coming_.emplace();
  for (const ReservationView& view : view_.reservations.view()) {
    for (const ReservationView::Time& time : view.times) {
      const bool is = time.from_s > view_.engine.now() && !time.nodes.empty();
      if (is) coming_->push_back({time.from_s, time.until_s, view.name});
    }
  }
  std::ranges::stable_sort(*coming_, {}, &Coming::from_s);
  return *coming_;
}

// What fits for the shortest time may be of a reservation before the job would end: then the numbers
// alone mislead.
void Reasons::add_coming(const QueuedJob& job, Short& kind, Reason& reason) {
  constexpr std::size_t kTriesMax = 8;
  if (!reason.why || reason.why->findings.empty()) return;
  if (reason.why->findings.front().candidates.fit == 0) return;
  const std::int64_t now_s = view_.engine.now();
  const std::int64_t end_s = saturating_sum(now_s, job.duration_s);
  std::size_t tries = 0;
  for (const Coming& next : coming()) {
    if ((job.duration_s != 0 && next.from_s >= end_s) || ++tries > kTriesMax) return;
    const auto [at, is_new] = kind.taken.try_emplace(next.from_s);
    if (is_new) at->second = taken_by(job, next);
    if (at->second.empty()) continue;
    reason.text += at->second;
    return;
  }
}

// Who is in its way now may leave before it is to start: then what it waits for is the end of a
// reservation.
void Reasons::add_until(const QueuedJob& job, Reason& reason) {
  if (job.state != JobState::promised || reason.cause == Cause::reservation) return;
  const auto last = std::ranges::find(coming(), job.start_s, &Coming::until_s);
  if (last == coming().end() || reason.text.contains('"' + last->name + '"')) return;
  reason.text += fmt::format("; then reservation \"{}\" has what it needs, from {} until {}",
                             last->name, readable_time(last->from_s), readable_time(last->until_s));
}

std::string Reasons::taken_by(const QueuedJob& job, const Coming& coming) {
  const auto finding = [&](std::int64_t duration_s) -> std::optional<Finding> {
    auto why = view_.engine.explain(view_.kinds.prepared(job.kind, duration_s));
    if (!why || why->verdict != Verdict::insufficient || why->findings.empty()) return std::nullopt;
    return std::move(why->findings.front());
  };
  const std::int64_t until_s = coming.from_s - view_.engine.now();
  const auto before = finding(until_s), after = finding(until_s + 1);
  if (!before || !after || before->path != after->path) return "";
  if (before->candidates.fit <= after->candidates.fit) return "";
  const std::string one = before->type == "slot" ? "place"
                          : before->counted      ? before->type
                                                 : "pool of " + before->type;
  const std::string many = before->counted ? one + "s" : "pools of " + before->type;
  return fmt::format("; of what fits, reservation \"{}\" has {} from {} on", coming.name,
                     counted(before->candidates.fit - after->candidates.fit, one, many),
                     readable_time(coming.from_s));
}

const char* Reasons::excluded_by(const QueuedJob& job) const {
  if (view_.kinds[job.kind].own_constraint.empty()) {
    return "; it would fit now on nodes that its queue excludes";
  }
  return view_.kinds.queue_constraint(job.queue).empty()
             ? "; it would fit now without its constraint"
             : "; it would fit now on nodes that its constraint or its queue excludes";
}

std::int64_t Reasons::longest(const QueuedJob& job, std::int64_t likely_s) {
  const std::int64_t now_s = view_.engine.now();
  const std::int64_t window_s = view_.engine.options().horizon - now_s;
  std::int64_t no = job.duration_s == 0 ? window_s : std::min(job.duration_s, window_s);
  if (job.state == JobState::promised && job.start_s - now_s < no) {
    no = std::max<std::int64_t>(1, job.start_s - now_s);
    if (fits(job, no)) return no;
  }
  std::int64_t yes = 0;
  for (const std::int64_t tried_s : {likely_s, std::int64_t{1}}) {
    if (tried_s > yes && tried_s < no && fits(job, tried_s)) yes = tried_s;
  }
  if (yes == likely_s && yes > 0 && (no - yes == 1 || !fits(job, yes + 1))) return yes;
  while (yes > 0 && no - yes > 1) {
    const std::int64_t middle = yes + (no - yes) / 2;
    (fits(job, middle) ? yes : no) = middle;
  }
  return yes;
}

Reason Reasons::promised_before(JobId job, std::int64_t start_s) const {
  Reason out{
      Cause::promises,
      fmt::format("it fits now, but not for as long as it asks: job {} is to start at {}",
                  name_of(names_, job), readable_time(start_s)),
  };
  out.job = job;
  out.from_s = start_s;
  return out;
}

// Something is to start before it would end.
Reason Reasons::blocked(const QueuedJob& job) {
  const auto& due = view_.promises.due();
  if (view_.promises.counting()) {
    const std::int64_t start_s = view_.engine.now() + longest(job, 0);
    auto at = due.lower_bound({start_s, {INT64_MIN, INT64_MIN, 0}, 0});
    if (at != due.end() && view_.jobs[std::get<2>(*at)].id == job.id) ++at;
    if (at != due.end()) {
      return promised_before(view_.jobs[std::get<2>(*at)].id, std::get<0>(*at));
    }
    return {Cause::promises, "it fits now, but not for as long as it asks"};
  }
  auto why = view_.engine.explain(view_.kinds.prepared(job.kind, job.duration_s));
  Reason out{Cause::promises, "it fits now, but not for as long as it asks"};
  if (!why || why->findings.empty()) return out;
  if (auto by_reservation = reserved(job, *why)) return *by_reservation;
  const std::int64_t now_s = view_.engine.now();
  // No reservation alone is in its way: rather a promise, then.
  const auto rank = [](const Holder& h) { return std::pair(is_reservation(h.job), h.start); };
  const Holder* first = nullptr;
  bool by_itself = false;
  for (const Holder& holder : why->findings.front().holders) {
    by_itself = by_itself || holder.job == job.id;
    const bool later = holder.start > now_s && holder.job != job.id;
    if (later && (first == nullptr || rank(holder) < rank(*first))) first = &holder;
  }
  const auto owner = first == nullptr ? std::nullopt : view_.reservations.owner(first->job);
  if (owner) {
    out = of_reservation(*owner, now_s, job.duration_s);
  } else if (first != nullptr) {
    out = promised_before(first->job, first->start);
  } else if (by_itself) {
    out.text += ", on the same resources";
    return out;
  } else {
    out.text += ": " + first_sentence(*why, names_);
  }
  keep(out, std::move(*why));
  return out;
}

}  // namespace copse::queue
