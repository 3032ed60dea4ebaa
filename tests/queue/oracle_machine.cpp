// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle_machine.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace copse::queue_oracle {

// The order of a queue.
bool before(const Job& a, const Job& b) {
  return std::tuple(-a.priority, a.submit, a.arrival) <
         std::tuple(-b.priority, b.submit, b.arrival);
}

std::vector<Job*> Machine::queue(std::size_t line) {
  std::vector<Job*> out;
  for (auto& [id, job] : jobs) {
    const bool waits = job.state == State::waiting || job.state == State::promised;
    if (waits && job.line == line && job.reservation == 0) out.push_back(&job);
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

// --- Time and nodes

bool Machine::usable(const Job& job, int node) const {
  return up[static_cast<std::size_t>(node)] && std::ranges::count(job.allowed, node) > 0;
}

bool Machine::idle(int node, Time from, Time until) const {
  return !reservations.has(node, from, until) && free_of_jobs(node, from, until);
}

bool Machine::free_of_jobs(int node, Time from, Time until) const {
  return std::ranges::none_of(jobs, [&](const auto& entry) {
    const Job& job = entry.second;
    return (job.state == State::running || job.state == State::promised) && job.start < until &&
           from < job.end && std::ranges::count(job.on, node) > 0;
  });
}

// The lowest nodes that are idle all the time; none if they are too few.
std::vector<int> Machine::choose(const Job& job, Time from, Time until) const {
  std::vector<int> out;
  for (int node = 0; node < static_cast<int>(up.size()); ++node) {
    if (std::ssize(out) < job.nodes && usable(job, node) && idle(node, from, until)) {
      out.push_back(node);
    }
  }
  if (std::ssize(out) < job.nodes) out.clear();
  return out;
}

std::vector<int> Machine::choose_in(const Job& job, const ReservedTime& time, Time until) const {
  std::vector<int> out;
  for (const int node : time.nodes) {
    const bool fits = usable(job, node) && free_of_jobs(node, now, until);
    if (fits && std::ssize(out) < job.nodes) out.push_back(node);
  }
  if (std::ssize(out) < job.nodes) out.clear();
  return out;
}

// How many nodes that are up somebody has, or is promised.
std::int64_t Machine::taken(Time at) const {
  std::int64_t out = 0;
  for (const auto& [id, job] : jobs) {
    if (job.start > at || at >= job.end) continue;
    if (job.state == State::promised) out += job.nodes;
    if (job.state == State::running) {
      out += std::ranges::count_if(job.on, [&](int n) { return up[static_cast<std::size_t>(n)]; });
    }
  }
  return out;
}

Time Machine::end_of(const Job& job, Time start) const {
  return job.duration == 0 || job.duration > horizon - start ? horizon : start + job.duration;
}

bool Machine::fits(const Job& job, Time start) const {
  const Time end = end_of(job, start);
  if (!by_numbers) return !choose(job, start, end).empty();
  const std::int64_t left = std::ranges::count(up, true) - job.nodes;
  if (taken(start) > left) return false;
  // More are taken only from when a promise begins.
  return std::ranges::none_of(jobs, [&](const auto& entry) {
    const Job& other = entry.second;
    return other.state == State::promised && start < other.start && other.start < end &&
           taken(other.start) > left;
  });
}

bool Machine::promised_away(const Job& job, Time until) const {
  const auto is_up = [&](int node) { return up[static_cast<std::size_t>(node)]; };
  const std::int64_t left = std::ranges::count(up, true) - std::ranges::count_if(job.on, is_up);
  return std::ranges::any_of(jobs, [&](const auto& entry) {
    const Job& other = entry.second;
    if (other.state != State::promised || other.start >= until || other.end <= job.end)
      return false;
    if (by_numbers) return taken(std::max(other.start, job.end)) > left;
    return std::ranges::any_of(job.on,
                               [&](int node) { return std::ranges::count(other.on, node) > 0; });
  });
}

// A job that does not fit fits first when somebody else has ended.
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

// Of a constraint all nodes, whoever runs there; of a number those that are free: else those that
// nobody has now; else any, but for those of other reservations and of whoever is in them.
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
        if (job.start >= time.until || job.end <= from || std::ranges::count(job.on, node) == 0)
          return false;
        if (tier >= 1 && job.start > now) return false;
        return tier < 2 || std::ranges::any_of(job.on, reserved);
      });
      if (!taken) out.push_back(node);
    }
    if (std::ssize(out) < booking.nodes) out.clear();
  }
  return out;
}

}  // namespace copse::queue_oracle
