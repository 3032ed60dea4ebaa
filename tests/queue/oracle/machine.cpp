// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle/machine.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "queue/oracle/grouping.hpp"

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

// --- By numbers

std::int64_t Machine::outside_in(std::size_t group, Time from, Time until) const {
  std::set<int> nodes;
  for (const auto& [id, job] : jobs) {
    if (job.outside && job.state == State::running && job.start < until && from < job.end)
      nodes.merge(nodes_of(job));
  }
  return std::ranges::count_if(nodes, [&](int node) {
    const auto n = static_cast<std::size_t>(node);
    return up[n] && groups.of_node[n] == static_cast<int>(group);
  });
}

bool Machine::numbers_allow(const Job& outside) {
  std::set<Time> times{now};
  for (const auto& [id, job] : jobs) times.insert({job.start, job.end});
  for (const auto& group : groups.all) {
    for (const auto& [begin, end] : group.reserved) times.insert({begin, end});
  }
  const auto used = [&] {
    std::map<std::pair<std::size_t, Time>, std::int64_t> out;
    for (std::size_t g = 0; g < groups.all.size(); ++g) {
      for (const Time at : times) {
        if (now <= at && at < outside.end) out[{g, at}] = in_use(g, at);
      }
    }
    return out;
  };
  const auto before = used();
  jobs[outside.id] = outside;
  const auto after = used();
  jobs.erase(outside.id);
  return std::ranges::all_of(after, [&](const auto& entry) {
    return entry.second == before.at(entry.first) ||
           entry.second <= groups.all[entry.first.first].usable;
  });
}

std::int64_t Machine::running_in(const Job& job, std::size_t group) const {
  if (job.outside) return 0;
  return std::ranges::count_if(nodes_of(job), [&](int node) {
    const auto n = static_cast<std::size_t>(node);
    return up[n] && groups.of_node[n] == static_cast<int>(group);
  });
}

std::int64_t Machine::in_use(std::size_t group, Time at) const {
  if (groups.reserved(group, at)) return groups.all[group].usable;
  std::int64_t out = 0;
  for (const auto& [id, job] : jobs) {
    if (job.start > at || at >= job.end) continue;
    if (job.state == State::promised) out += job.in_group[group];
    if (job.state == State::running) out += running_in(job, group);
  }
  return out + outside_in(group, at, at + 1);
}

// More is in use only from a start, or from where nodes are reserved, on; or when they are not any more.
std::int64_t Machine::free(std::size_t group, Time from, Time until) const {
  std::set<Time> times{from};
  for (const auto& [id, job] : jobs) times.insert(job.start);
  for (const auto& [begin, end] : groups.all[group].reserved) times.insert({begin, end});
  std::int64_t out = INT64_MAX;
  for (const Time at : times) {
    if (from <= at && at < until) out = std::min(out, groups.all[group].usable - in_use(group, at));
  }
  return out;
}

std::optional<Share> Machine::share(const Job& job, Time from, Time until) const {
  Share out{std::vector<std::int64_t>(groups.all.size(), 0), layers.none()};
  const bool capped = groups.cap_power > 0;
  const Drawn most = drawn_most(from, until);
  if (!layers.draw_licences(out.drawn, most, job.licences)) return std::nullopt;
  std::int64_t missing = std::max(job.nodes, job.slots);
  for (const std::size_t g : groups.order(job.allowed)) {
    for (std::int64_t left = free(g, from, until); left > 0 && missing > 0; --left, --missing) {
      if (!capped && !layers.draw_power(out.drawn, most, groups.all[g].nodes.front(), job.power))
        break;
      ++out.in_group[g];
    }
  }
  return missing == 0 ? std::optional(out) : std::nullopt;
}

bool Machine::layers_serve(const Job& job, const ReservedTime& time, Time until) const {
  const Drawn most = drawn_most(now, until);
  Drawn drawn = layers.none();
  if (!by_numbers) return true;
  if (!layers.draw_licences(drawn, most, job.licences)) return false;
  if (groups.cap_power > 0) return true;
  return std::ranges::all_of(time.nodes, [&](int node) {
    Drawn some = layers.none();
    return !up[static_cast<std::size_t>(node)] ||
           layers.draw_power(some, most, node, job.power * std::max(job.nodes, job.slots));
  });
}

std::vector<int> Machine::nodes_for(const Share& share) const {
  std::set<int> busy_nodes;
  for (const auto& [id, job] : jobs) {
    if (job.state == State::running && job.start <= now) busy_nodes.merge(nodes_of(job));
  }
  std::vector<int> out;
  for (std::size_t g = 0; g < groups.all.size(); ++g) {
    std::int64_t left = share.in_group[g];
    for (const int node : groups.all[g].nodes) {
      if (left == 0 || !up[static_cast<std::size_t>(node)] || busy_nodes.contains(node)) continue;
      out.push_back(node);
      --left;
    }
  }
  return out;
}

std::vector<std::vector<int>> Machine::nodes_of_promises() {
  std::vector<Time> until(up.size(), INT64_MIN);
  for (const auto& [id, job] : jobs) {
    if (job.state != State::running || job.start > now) continue;
    for (const int node : nodes_of(job))
      until[static_cast<std::size_t>(node)] =
          std::max(until[static_cast<std::size_t>(node)], job.end);
  }
  std::vector<std::vector<int>> out;
  for (const Job* job : promised()) {
    auto& nodes = out.emplace_back();
    for (std::size_t g = 0; g < groups.all.size(); ++g) {
      std::int64_t left = job->in_group[g];
      for (const int node : groups.all[g].nodes) {
        const auto n = static_cast<std::size_t>(node);
        if (left == 0 || !up[n] || until[n] > job->start) continue;
        nodes.push_back(node);
        until[n] = job->end;
        --left;
      }
    }
  }
  return out;
}

bool Machine::knows(const Job& job) const {
  if (std::ranges::count(groups.sets, job.allowed) == 0) return false;
  if (job.licences > 0 && !groups.licences) return false;
  if (groups.cap_power > 0) return job.power == groups.cap_power;
  return job.power == 0 || groups.power;
}

void Machine::make_groups() { groups = groups_of(*this); }

Share Machine::share_of(const Job& job, const std::vector<int>& nodes) const {
  Share out{std::vector<std::int64_t>(groups.all.size(), 0), layers.none()};
  const Drawn nothing = layers.none();
  (void)layers.draw_licences(out.drawn, nothing, job.licences);
  for (const int node : nodes) {
    ++out.in_group[static_cast<std::size_t>(groups.of_node[static_cast<std::size_t>(node)])];
    if (groups.cap_power == 0) (void)layers.draw_power(out.drawn, nothing, node, job.power);
  }
  return out;
}

Time Machine::end_of(const Job& job, Time start) const {
  return job.duration == 0 || job.duration > horizon - start ? horizon : start + job.duration;
}

bool Machine::promised_away(const Job& job, Time until) const {
  if (by_numbers) {
    std::set<Time> times{job.end};
    bool any = false;
    for (const auto& [id, other] : jobs) {
      times.insert(other.start);
      any = any || (other.state == State::promised && other.start < until);
    }
    for (const auto& group : groups.all) {
      for (const auto& [begin, end] : group.reserved) times.insert(end);
    }
    return any && std::ranges::any_of(times, [&](Time at) {
             if (at < job.end || at >= until) return false;
             if (layers.too_much(job.drawn, drawn_at(at, &job))) return true;
             for (std::size_t g = 0; g < groups.all.size(); ++g) {
               const std::int64_t own = running_in(job, g);
               if (own == 0 || groups.reserved(g, at)) continue;
               if (groups.all[g].usable - in_use(g, at) < own) return true;
             }
             return false;
           });
  }
  return std::ranges::any_of(jobs, [&](const auto& entry) {
    const Job& other = entry.second;
    if (other.state != State::promised || other.start >= until || other.end <= job.end)
      return false;
    const Time at = std::max(other.start, job.end);
    return std::ranges::any_of(job.on, [&](int unit) { return other.on.contains(unit); }) ||
           layers.too_much(job.drawn, drawn_at(at, &job));
  });
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
