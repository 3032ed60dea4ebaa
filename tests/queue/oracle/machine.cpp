// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle/machine.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace copse::queue_oracle {

// The order of a queue.
bool before(const Job& a, const Job& b) {
  return std::tuple(-a.priority, a.submit, a.arrival) <
         std::tuple(-b.priority, b.submit, b.arrival);
}

std::vector<Job*> Machine::in_order(std::size_t queue) {
  std::vector<Job*> out;
  for (auto& [id, job] : jobs) {
    const bool waits = job.state == State::waiting || job.state == State::promised;
    if (waits && job.waiting_queue == queue && job.reservation == 0) out.push_back(&job);
  }
  std::ranges::sort(out, [](const Job* a, const Job* b) { return before(*a, *b); });
  return out;
}

std::vector<Job*> Machine::waiting_for(int reservation) {
  std::vector<Job*> out;
  for (auto& [id, job] : jobs) {
    if (job.reservation == reservation && job.state == State::waiting) out.push_back(&job);
  }
  std::ranges::sort(out, [](const Job* a, const Job* b) { return before(*a, *b); });
  return out;
}

bool Machine::anybody_waits() const {
  return std::ranges::any_of(jobs, [](const auto& entry) {
    return entry.second.state == State::waiting || entry.second.state == State::promised;
  });
}

// In the order of their starts.
std::vector<Job*> Machine::promised() {
  std::vector<Job*> out;
  for (auto& [id, job] : jobs) {
    if (job.state == State::promised) out.push_back(&job);
  }
  std::ranges::sort(out, [](const Job* a, const Job* b) {
    return a->start != b->start ? a->start < b->start : before(*a, *b);
  });
  return out;
}

// --- Time and units

std::set<int> Machine::units_of(int node) const {
  std::set<int> out;
  for (int unit = node * width(); unit < (node + 1) * width(); ++unit) out.insert(unit);
  return out;
}

std::set<int> Machine::nodes_of(const Job& job) const {
  std::set<int> out;
  for (const int unit : job.on) out.insert(unit / width());
  return out;
}

bool Machine::usable(const Job& job, int node) const {
  return up[static_cast<std::size_t>(node)] && std::ranges::count(job.allowed, node) > 0;
}

// Units of jobs that run, or have a promise, at some time of it.
std::set<int> Machine::busy(Time from, Time until) const {
  std::set<int> out;
  for (const auto& [id, job] : jobs) {
    const bool plans = job.state == State::running || job.state == State::promised;
    if (plans && job.start < until && from < job.end) out.insert(job.on.begin(), job.on.end());
  }
  return out;
}

Drawn Machine::drawn_at(Time at, const Job* but) const {
  Drawn out = layers.none();
  for (const auto& [id, job] : jobs) {
    const bool plans = job.state == State::running || job.state == State::promised;
    if (!plans || &job == but || at < job.start || job.end <= at) continue;
    for (std::size_t n = 0; n < job.drawn.size(); ++n) out[n] += job.drawn[n];
  }
  return out;
}

// The use only increases when a job begins.
Drawn Machine::drawn_most(Time from, Time until) const {
  Drawn out = drawn_at(from);
  for (const auto& [id, job] : jobs) {
    if (job.start <= from || until <= job.start) continue;
    const Drawn then = drawn_at(job.start);
    for (std::size_t n = 0; n < out.size(); ++n) out[n] = std::max(out[n], then[n]);
  }
  return out;
}

// Whole nodes: the lowest ones that are idle and whose layers suffice. Slots: each node forms as
// many as it can, of its lowest cores and gpus; those with the lowest numbers are taken.
Choice Machine::place(const Job& job, const std::vector<int>& nodes, const std::set<int>& busy,
                      const Drawn& drawn) const {
  Choice out{.on = {}, .drawn = layers.none()};
  if (!layers.draw_licences(out.drawn, drawn, job.licences)) return out;
  std::int64_t found = 0;
  std::multimap<std::int64_t, std::set<int>> slots;  // by the sum of its numbers
  for (const int node : nodes) {
    std::vector<int> free;
    for (const int unit : units_of(node)) {
      if (!busy.contains(unit)) free.push_back(unit);
    }
    if (job.nodes > 0) {
      if (found == job.nodes || std::ssize(free) < width()) continue;
      if (!layers.draw_power(out.drawn, drawn, node, job.power)) continue;
      out.on.insert(free.begin(), free.end());
      ++found;
      continue;
    }
    const auto number = [&](int unit) { return unit % width(); };
    const auto gpu = std::ranges::find_if(free, [&](int u) { return number(u) >= cores; });
    for (auto c = free.begin(), g = gpu; gpu - c >= job.cores && free.end() - g >= job.gpus;
         c += job.cores, g += job.gpus) {
      std::int64_t sum = 0;
      for (auto at = c; at < c + job.cores; ++at) sum += number(*at);
      for (auto at = g; at < g + job.gpus; ++at) sum += number(*at) - cores;
      std::set<int> slot(c, c + job.cores);
      slot.insert(g, g + job.gpus);
      slots.emplace(sum, std::move(slot));
    }
  }
  for (const auto& [sum, slot] : slots) {
    if (found == job.slots) break;
    out.on.insert(slot.begin(), slot.end());
    ++found;
  }
  if (found < std::max(job.nodes, job.slots)) out.on.clear();
  return out;
}

bool Machine::fits_empty(const Job& job) const {
  return !place(job, job.allowed, {}, layers.none()).on.empty();
}

Choice Machine::choose(const Job& job, Time from, Time until) const {
  std::vector<int> nodes;
  for (int node = 0; node < static_cast<int>(up.size()); ++node) {
    if (usable(job, node) && !reservations.has(node, from, until)) nodes.push_back(node);
  }
  return place(job, nodes, busy(from, until), drawn_most(from, until));
}

Choice Machine::choose_in(const Job& job, const ReservedTime& time, Time until) const {
  std::vector<int> nodes;
  for (const int node : time.nodes) {
    if (usable(job, node)) nodes.push_back(node);
  }
  return place(job, nodes, busy(now, until), drawn_most(now, until));
}

// The number of nodes that are up, and in use or promised.
std::int64_t Machine::taken(Time at) const {
  std::int64_t out = 0;
  for (const auto& [id, job] : jobs) {
    if (job.start > at || at >= job.end) continue;
    if (job.state == State::promised) out += job.nodes;
    if (job.state == State::running) {
      out += std::ranges::count_if(nodes_of(job),
                                   [&](int n) { return up[static_cast<std::size_t>(n)]; });
    }
  }
  return out;
}

Time Machine::end_of(const Job& job, Time start) const {
  return job.duration == 0 || job.duration > horizon - start ? horizon : start + job.duration;
}

bool Machine::fits(const Job& job, Time start) const {
  const Time end = end_of(job, start);
  if (!by_numbers) return !choose(job, start, end).on.empty();
  const std::int64_t left = std::ranges::count(up, true) - job.nodes;
  if (taken(start) > left) return false;
  // The use only increases when a promise begins.
  return std::ranges::none_of(jobs, [&](const auto& entry) {
    const Job& other = entry.second;
    return other.state == State::promised && start < other.start && other.start < end &&
           taken(other.start) > left;
  });
}

bool Machine::promised_away(const Job& job, Time until) const {
  const auto is_up = [&](int node) { return up[static_cast<std::size_t>(node)]; };
  const std::int64_t left =
      std::ranges::count(up, true) - std::ranges::count_if(nodes_of(job), is_up);
  return std::ranges::any_of(jobs, [&](const auto& entry) {
    const Job& other = entry.second;
    if (other.state != State::promised || other.start >= until || other.end <= job.end)
      return false;
    const Time at = std::max(other.start, job.end);
    if (by_numbers) return taken(at) > left;
    return std::ranges::any_of(job.on, [&](int unit) { return other.on.contains(unit); }) ||
           layers.too_much(job.drawn, drawn_at(at, &job));
  });
}

// A job that does not fit can fit at the earliest when another one has ended.
Time Machine::earliest(const Job& job) const {
  std::set<Time> times = reservations.ends();
  times.insert(now);
  for (const auto& [id, other] : jobs) {
    const bool plans = other.state == State::running || other.state == State::promised;
    if (plans && now < other.end && other.end < horizon) times.insert(other.end);
  }
  const auto found = std::ranges::find_if(times, [&](Time time) { return fits(job, time); });
  return found == times.end() ? kNever : *found;
}

// --- Reservations

// With a constraint all matching nodes, in use or not; with a number the free ones, else those
// without a running job, else any without another reservation or its jobs.
std::vector<int> Machine::room(const Booking& booking, const ReservedTime& time) const {
  const std::vector<int>& all = booking.among;
  std::vector<int> out;
  const auto reserved = [&](int node) { return reservations.has(node, time.from, time.until); };
  if (booking.nodes == 0) return std::ranges::any_of(all, reserved) ? out : all;
  const Time from = std::max(time.from, now);
  for (int tier = 0; tier < 3 && out.empty(); ++tier) {
    for (const int node : all) {
      if (std::ssize(out) == booking.nodes || !up[static_cast<std::size_t>(node)]) continue;
      if (reservations.has(node, from, time.until)) continue;
      const bool taken = std::ranges::any_of(jobs, [&](const auto& entry) {
        const Job& job = entry.second;
        if (job.state != State::running && job.state != State::promised) return false;
        const std::set<int> on = nodes_of(job);
        if (job.start >= time.until || job.end <= from || !on.contains(node)) return false;
        if (tier >= 1 && job.start > now) return false;
        return tier < 2 || std::ranges::any_of(on, reserved);
      });
      if (!taken) out.push_back(node);
    }
    if (std::ssize(out) < booking.nodes) out.clear();
  }
  return out;
}

}  // namespace copse::queue_oracle
