// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle/sharing.hpp"

#include <algorithm>
#include <set>

namespace copse::queue_oracle {

namespace {

bool contains(const std::vector<int>& all, const std::vector<int>& some) {
  return std::ranges::all_of(some, [&](int node) { return std::ranges::count(all, node) > 0; });
}

bool has(const std::vector<int>& set, const Groups::Group& group) {
  return std::ranges::count(set, group.nodes.front()) > 0;
}

// Nodes of a set that are not for others: running jobs have theirs, promises all that they need if
// they can be nowhere else.
std::int64_t left_in(const Machine& machine, const std::vector<int>& set, Time at) {
  std::int64_t out = 0;
  for (std::size_t g = 0; g < machine.groups.all.size(); ++g) {
    const auto& group = machine.groups.all[g];
    if (!has(set, group) || machine.groups.reserved(g, at)) continue;
    out += group.usable;
    for (const auto& [id, job] : machine.jobs) {
      if (job.state == State::running && job.start <= at && at < job.end)
        out -= machine.running_in(job, g);
    }
    out -= machine.outside_in(g, at, at + 1);
  }
  for (const auto& [id, job] : machine.jobs) {
    if (job.state == State::promised && job.start <= at && at < job.end &&
        contains(set, job.allowed))
      out -= std::max(job.nodes, job.slots);
  }
  return out;
}

// The times from which on less may be left.
std::set<Time> changes(const Machine& machine, Time from) {
  std::set<Time> out{from};
  for (const auto& [id, job] : machine.jobs) out.insert(job.start);
  for (const auto& group : machine.groups.all) {
    for (const auto& [begin, end] : group.reserved) out.insert({begin, end});
  }
  return out;
}

bool sums_fit(const Machine& machine, const Job& job, Time from, Time until) {
  Drawn drawn = machine.layers.none();
  if (!machine.layers.draw_licences(drawn, machine.drawn_most(from, until), job.licences))
    return false;
  const std::set<Time> times = changes(machine, from);
  return std::ranges::all_of(machine.groups.sets, [&](const std::vector<int>& set) {
    return !contains(set, job.allowed) || std::ranges::all_of(times, [&](Time at) {
      return at < from || at >= until ||
             left_in(machine, set, at) >= std::max(job.nodes, job.slots);
    });
  });
}

struct Taker {
  const Job* job;
  Time start, end;
  Share share{};
};

// What is free when it starts, next to running jobs and those that started before.
bool take(const Machine& machine, const std::vector<Taker>& before, Taker& taker) {
  const auto& groups = machine.groups;
  Drawn taken = machine.layers.none();
  const auto add = [&](const Drawn& drawn) {
    for (std::size_t n = 0; n < drawn.size(); ++n) taken[n] += drawn[n];
  };
  std::vector<std::int64_t> free;
  for (std::size_t g = 0; g < groups.all.size(); ++g) {
    const bool reserved = std::ranges::any_of(groups.all[g].reserved, [&](const auto& time) {
      return time.first < taker.end && taker.start < time.second;
    });
    free.push_back(reserved ? 0 : groups.all[g].usable);
  }
  for (std::size_t g = 0; g < free.size(); ++g)
    free[g] -= machine.outside_in(g, taker.start, taker.start + 1);
  for (const auto& [id, job] : machine.jobs) {
    if (job.state != State::running || job.end <= taker.start) continue;
    for (std::size_t g = 0; g < free.size(); ++g) free[g] -= machine.running_in(job, g);
    add(job.drawn);
  }
  for (const Taker& other : before) {
    if (other.end <= taker.start) continue;
    for (std::size_t g = 0; g < free.size(); ++g) free[g] -= other.share.in_group[g];
    add(other.share.drawn);
  }
  Share& out = taker.share;
  out = {std::vector<std::int64_t>(free.size(), 0), machine.layers.none()};
  if (!machine.layers.draw_licences(out.drawn, taken, taker.job->licences)) return false;
  std::int64_t missing = std::max(taker.job->nodes, taker.job->slots);
  for (const std::size_t g : groups.order(taker.job->allowed)) {
    for (; free[g] > 0 && missing > 0; --free[g], --missing) {
      if (groups.cap_power == 0 &&
          !machine.layers.draw_power(out.drawn, taken, groups.all[g].nodes.front(),
                                     taker.job->power))
        break;
      ++out.in_group[g];
    }
  }
  return missing == 0;
}

bool share_out(const Machine& machine, const Job& job, Time start, Time end, Found& out) {
  std::vector<Taker> order{{&job, start, end}};
  for (const auto& [id, other] : machine.jobs) {
    if (other.state == State::promised && &other != &job)
      order.push_back({&other, other.start, other.end});
  }
  std::ranges::sort(order, [](const Taker& a, const Taker& b) {
    return a.start != b.start ? a.start < b.start : before(*a.job, *b.job);
  });
  std::vector<Taker> done;
  for (Taker& taker : order) {
    if (!take(machine, done, taker)) return false;
    done.push_back(taker);
  }
  for (const Taker& taker : done) {
    if (taker.job == &job) {
      out.own = taker.share;
    } else {
      out.others.emplace(taker.job->id, taker.share);
    }
  }
  out.shared = true;
  return true;
}

}  // namespace

// A job that does not fit can fit at the earliest when another one has ended.
Found find_start(const Machine& machine, const Job& job, Time from, Time before) {
  Found out;
  std::set<Time> times = machine.reservations.ends();
  times.insert(from);
  for (const auto& [id, other] : machine.jobs) {
    const bool plans = other.state == State::running || other.state == State::promised;
    if (plans) times.insert(other.end);
  }
  bool tried = false;
  for (const Time at : times) {
    if (at < from || at >= std::min(before, machine.horizon)) continue;
    const Time end = machine.end_of(job, at);
    if (!machine.by_numbers) {
      if (machine.choose(job, at, end).on.empty()) continue;
      out.at = at;
      return out;
    }
    if (!sums_fit(machine, job, at, end)) continue;
    out.own = machine.share(job, at, end);
    if (!out.own && !tried) {
      tried = true;
      (void)share_out(machine, job, at, end, out);
    }
    if (!out.own) continue;
    out.at = at;
    return out;
  }
  return out;
}

}  // namespace copse::queue_oracle
