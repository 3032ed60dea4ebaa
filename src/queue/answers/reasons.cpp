// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/reasons.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/job_id.hpp"
#include "base/saturating.hpp"
#include "queue/answers/reservation_reason.hpp"
#include "queue/answers/short_cause.hpp"
#include "queue/refusal.hpp"
#include "text/counted.hpp"

namespace copse::queue {

namespace {

using Cause = Reason::Cause;

bool of_a_layer(const Explanation& why) {
  return std::ranges::any_of(why.findings, [](const Finding& f) {
    return f.cause == copse::Cause::supply || f.cause == copse::Cause::supply_apart;
  });
}

// Jobs that fit at no time are skipped, and do not count for the depth.
std::optional<Reason> outside_depth(const WaitingQueue& queue, const QueuePosition& position,
                                    std::size_t ahead) {
  const std::size_t seen = ahead - queue.unplaceable_before(position);
  if (seen < queue.depth()) return std::nullopt;
  const std::size_t first = seen - queue.depth() + 1;  // number of jobs that must start first
  return Reason{
      Cause::depth,
      fmt::format("the queue examines its first {} only (queue-depth), and {} ahead; it examines "
                  "this one when {} started",
                  queue.depth() == 1 ? "job" : fmt::format("{} jobs", queue.depth()),
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
    case Cause::on_hold: return "held";
    case Cause::stopped: return "stopped";
    case Cause::limit: return "limit";
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
    const auto owner = reservations.table().owner(id);
    return owner ? "reservation \"" + owner->name + '"' : name_of(names, id);
  };
}

Reasons::Reasons(JobQueue& queue, JobNames names)
    : view_(queue.view()), names_(names_with_reservations(view_.reservations, std::move(names))) {}

Reason Reasons::of(JobId id, std::size_t ahead) {
  const Slot slot = view_.jobs.find(id);
  assert(slot != kNoSlot && view_.jobs[slot].state != JobState::running);
  const QueuedJob& job = view_.jobs[slot];
  Reason out = whole_reason(job, ahead);
  out.brief = short_cause(out, view_.engine.now(), names_,
                          out.cause == Cause::constraint ? excluding(job) : std::string());
  return out;
}

Reason Reasons::whole_reason(const QueuedJob& job, std::size_t ahead) {
  const JobId id = job.id;
  const Slot slot = view_.jobs.find(id);
  if (job.reservation != 0 && job.state != JobState::on_hold) {
    const auto named = view_.reservations.reason(slot);
    if (named) return reason_of_named(*named, job);
  }
  const WaitingQueue& queue = view_.queues[job.waiting_queue];
  if (job.state == JobState::on_hold) return {Cause::on_hold, "it is held until it is released"};
  if (queue.stopped()) {
    return {Cause::stopped,
            fmt::format(
                "{} is stopped: none of its jobs starts until it is started again; they "
                "keep their positions",
                queue.name().empty() ? "the queue" : fmt::format("queue \"{}\"", queue.name()))};
  }
  if (job.state == JobState::waiting && view_.promises.is_limited(slot)) {
    return {Cause::limit, view_.promises.limit_reached(slot)};
  }
  if (ahead > 0 && queue.blocked_by_first() && queue.first_examined()->slot != slot) {
    const JobId first = view_.jobs[queue.first_examined()->slot].id;
    return {Cause::in_front,
            fmt::format("job {} is ahead, and no job may overtake it in this queue ({})",
                        name_of(names_, first), queue.discipline().name),
            first};
  }
  if (ahead >= queue.depth() && job.state != JobState::promised) {
    if (auto reason = outside_depth(queue, job.position, ahead)) return *reason;
  }
  KindReason& kind = reason_of_kind(job);
  if (kind.reason) {
    Reason out = *kind.reason;
    add_upcoming(job, kind, out);
    add_until(job, out);
    return out;
  }
  if (job.duration_s >= kind.fails_s && kind.later.job != id) return kind.later;
  const bool promised = job.state == JobState::promised;
  if (fits(job, job.duration_s) && (!promised || view_.promises.counting())) {
    return {Cause::starting, promised ? "it fits now; the next pass of the queue moves its start"
                                      : "it starts with the next pass of the queue"};
  }
  Reason out = blocked(job);
  if (view_.kinds[job.kind].fixed && !promised) {
    kind.fails_s = job.duration_s;
    kind.later = out;
  }
  return out;
}

// The reason of a job that waits for this reservation. While it is active, its nodes may be down.
Reason Reasons::reason_of_named(const ReservationReason& named, const QueuedJob& job) {
  Reason out = reason_of(named, view_.engine.now(), job.duration_s);
  if (named.from_s > view_.engine.now()) return out;
  const auto [at, is_new] = active_.try_emplace(named.name);
  ActiveOccurrence& active = at->second;
  for (const ReservationView& view : view_.reservations.table().view()) {
    if (!is_new || view.name != named.name || view.times.empty()) continue;
    active.nodes = std::ssize(view.times.front().nodes);
    active.down = std::ranges::count_if(
        view.times.front().nodes, [&](PoolId node) { return !usable(view_.engine.status(node)); });
  }
  if (active.down == 0) return out;
  out.cause = Cause::down;
  out.text = fmt::format("of the {} of reservation \"{}\", {} {} down; it ends at {}",
                         counted(active.nodes, "node"), named.name, active.down,
                         active.down == 1 ? "is" : "are", readable_time(named.until_s));
  return out;
}

bool Reasons::fits(PreparedRequest& request, std::int64_t duration_s) {
  const std::int64_t window_s = view_.engine.options().horizon - view_.engine.now();
  request.set_duration(std::min(duration_s, window_s));
  return view_.engine.fits(request).value_or(false);
}

// The job's own promise does not block it: from that time on it has its resources.
bool Reasons::fits(const QueuedJob& job, std::int64_t duration_s) {
  if (job.state == JobState::promised) {
    duration_s = std::min(duration_s, std::max<std::int64_t>(1, job.start_s - view_.engine.now()));
  }
  const NodeCounts::Need* need =
      view_.promises.counting() ? view_.promises.find_need(job.kind) : nullptr;
  if (need != nullptr) return fits_counted(duration_s, *need);
  return fits(view_.kinds.prepared(job.kind, duration_s), duration_s);
}

bool Reasons::fits_counted(std::int64_t duration_s, const NodeCounts::Need& need) const {
  const std::int64_t now_s = view_.engine.now();
  const std::int64_t window_s = view_.engine.options().horizon - now_s;
  const std::int64_t asked_s = duration_s == 0 ? window_s : std::min(duration_s, window_s);
  return view_.promises.counts().use(now_s, now_s + asked_s, need).has_value();
}

Reasons::KindReason& Reasons::reason_of_kind(const QueuedJob& job) {
  const auto [at, is_new] = kinds_.try_emplace(job.kind);
  if (!is_new) return at->second;
  auto why = view_.engine.explain(view_.kinds.prepared(job.kind, 1));
  if (why && why->verdict != Verdict::fits) at->second.reason = shortage(job, std::move(*why));
  return at->second;
}

// Grants of reservations are among the holders: would the job fit without a reservation?
std::optional<Reason> Reasons::reserved(const QueuedJob& job, const Explanation& why) const {
  const bool any = std::ranges::any_of(why.findings, [](const Finding& f) {
    return std::ranges::any_of(f.holders, [](const Holder& h) { return is_reservation(h.job); });
  });
  if (!any) return std::nullopt;
  const auto blocking = view_.reservations.reason(view_.jobs.find(job.id));
  if (!blocking) return std::nullopt;
  return reason_of(*blocking, view_.engine.now(), job.duration_s);
}

Reason Reasons::shortage(const QueuedJob& job, Explanation why) {
  if (auto by_reservation = reserved(job, why)) return *by_reservation;
  Reason out{Cause::resources, whole_sentence(why, names_)};
  out.text += about_defaults(why, view_.kinds.request(job.kind));
  const WaitingQueue& queue = view_.queues[job.waiting_queue];
  if (of_a_layer(why)) {
    out.cause = Cause::layer;
  } else if (queue.unplaceable(job.position)) {
    out.cause = any_down(why) ? Cause::down : Cause::unreachable;
  } else if (!view_.kinds.request(job.kind).constraint.empty()) {
    Request anywhere = view_.kinds.request(job.kind);
    anywhere.constraint = {};
    auto prepared = view_.engine.prepare(std::move(anywhere));
    if (prepared && fits(*prepared, 1)) out.cause = Cause::constraint;
  }
  switch (out.cause) {
    case Cause::down: out.text += "; it waits until enough of them are up again"; break;
    case Cause::unreachable:
      out.text += "; the jobs that use them have no time limit, so it waits until they end";
      break;
    case Cause::constraint:
      out.text += view_.kinds[job.kind].own_constraint.empty() ||
                          !view_.kinds.queue_constraint(job.queue).empty()
                      ? fmt::format("; it would fit now on nodes that {} excludes", excluding(job))
                      : "; it would fit now without its constraint";
      break;
    default: break;
  }
  attach(out, std::move(why));
  return out;
}

void Reasons::attach(Reason& reason, Explanation why) const {
  for (const Finding& finding : why.findings) {
    for (const Holder& holder : finding.holders) {
      if (is_reservation(holder.job))
        reason.holder_names.emplace_back(holder.job, names_(holder.job));
    }
  }
  reason.why = std::move(why);
}

const std::vector<Reasons::UpcomingOccurrence>& Reasons::upcoming() {
  if (upcoming_) return *upcoming_;
  upcoming_.emplace();
  for (const ReservationView& view : view_.reservations.table().view()) {
    for (const ReservationView::Time& time : view.times) {
      const bool is = time.from_s > view_.engine.now() && !time.nodes.empty();
      if (is) upcoming_->push_back({time.from_s, time.until_s, view.name});
    }
  }
  std::ranges::stable_sort(*upcoming_, {}, &UpcomingOccurrence::from_s);
  return *upcoming_;
}

// Pools that fit for the shortest duration may be reserved before the job would end. Without this
// addition the numbers would mislead.
void Reasons::add_upcoming(const QueuedJob& job, KindReason& kind, Reason& reason) {
  constexpr std::size_t kTriesMax = 8;
  if (!reason.why || reason.why->findings.empty()) return;
  if (reason.why->findings.front().candidates.fit == 0) return;
  const std::int64_t now_s = view_.engine.now();
  const std::int64_t end_s = saturating_sum(now_s, job.duration_s);
  std::size_t tries = 0;
  for (const UpcomingOccurrence& next : upcoming()) {
    if ((job.duration_s != 0 && next.from_s >= end_s) || ++tries > kTriesMax) return;
    const auto [at, is_new] = kind.taken.try_emplace(next.from_s);
    if (is_new) at->second = taken_by(job, next);
    if (at->second.empty()) continue;
    reason.text += at->second;
    return;
  }
}

// The present holders may leave before the promised start. The job then waits for the end of a
// reservation.
void Reasons::add_until(const QueuedJob& job, Reason& reason) {
  if (job.state != JobState::promised || reason.cause == Cause::reservation) return;
  const auto last = std::ranges::find(upcoming(), job.start_s, &UpcomingOccurrence::until_s);
  if (last == upcoming().end() || reason.text.contains('"' + last->name + '"')) return;
  reason.text +=
      fmt::format("; then reservation \"{}\" holds resources that it needs, from {} until {}",
                  last->name, readable_time(last->from_s), readable_time(last->until_s));
}

std::string Reasons::taken_by(const QueuedJob& job, const UpcomingOccurrence& upcoming) {
  const auto finding = [&](std::int64_t duration_s) -> std::optional<Finding> {
    auto why = view_.engine.explain(view_.kinds.prepared(job.kind, duration_s));
    if (!why || why->verdict != Verdict::insufficient || why->findings.empty()) return std::nullopt;
    return std::move(why->findings.front());
  };
  const std::int64_t until_s = upcoming.from_s - view_.engine.now();
  const auto before = finding(until_s), after = finding(until_s + 1);
  if (!before || !after || before->path != after->path) return "";
  if (before->candidates.fit <= after->candidates.fit) return "";
  const std::string one = before->type == "slot" ? "place"
                          : before->counted      ? before->type
                                                 : "pool of " + before->type;
  const std::string many = before->counted ? one + "s" : "pools of " + before->type;
  return fmt::format("; of those that fit, reservation \"{}\" holds {} from {} on", upcoming.name,
                     counted(before->candidates.fit - after->candidates.fit, one, many),
                     readable_time(upcoming.from_s));
}

std::string Reasons::excluding(const QueuedJob& job) const {
  if (view_.kinds[job.kind].own_constraint.empty()) return "its queue";
  return view_.kinds.queue_constraint(job.queue).empty() ? "its constraint"
                                                         : "its constraint or its queue";
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
      fmt::format("it fits now, but not for its whole duration: job {} is to start at {}",
                  name_of(names_, job), readable_time(start_s)),
  };
  out.job = job;
  out.from_s = start_s;
  return out;
}

// It fits now, but another start comes before its end.
Reason Reasons::blocked(const QueuedJob& job) {
  const auto& due = view_.promises.due();
  if (view_.promises.counting()) {
    if (view_.reservations.table().any()) {
      const auto why = view_.engine.explain(view_.kinds.prepared(job.kind, job.duration_s));
      if (why && !why->findings.empty()) {
        if (auto by_reservation = reserved(job, *why)) return *by_reservation;
      }
    }
    const std::int64_t start_s = view_.engine.now() + longest(job, 0);
    auto at = due.lower_bound({start_s, {INT64_MIN, INT64_MIN, 0}, 0});
    if (at != due.end() && view_.jobs[std::get<2>(*at)].id == job.id) ++at;
    if (at != due.end()) {
      return promised_before(view_.jobs[std::get<2>(*at)].id, std::get<0>(*at));
    }
    return {Cause::promises, "it fits now, but not for its whole duration"};
  }
  auto why = view_.engine.explain(view_.kinds.prepared(job.kind, job.duration_s));
  Reason out{Cause::promises, "it fits now, but not for its whole duration"};
  if (!why || why->findings.empty()) return out;
  if (auto by_reservation = reserved(job, *why)) return *by_reservation;
  const std::int64_t now_s = view_.engine.now();
  // No single reservation blocks it, so a promise is preferred.
  const auto rank = [](const Holder& h) { return std::pair(is_reservation(h.job), h.start); };
  const Holder* first = nullptr;
  bool by_itself = false;
  for (const Holder& holder : why->findings.front().holders) {
    by_itself = by_itself || holder.job == job.id;
    const bool later = holder.start > now_s && holder.job != job.id;
    if (later && (first == nullptr || rank(holder) < rank(*first))) first = &holder;
  }
  const auto owner = first == nullptr ? std::nullopt : view_.reservations.table().owner(first->job);
  if (owner) {
    out = reason_of(*owner, now_s, job.duration_s);
  } else if (first != nullptr) {
    out = promised_before(first->job, first->start);
  } else if (by_itself) {
    out.text += ", on the same resources";
    return out;
  } else {
    out.text += ": " + whole_sentence(*why, names_);
  }
  attach(out, std::move(*why));
  return out;
}

}  // namespace copse::queue
