// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace copse::queue_oracle {

namespace {

constexpr Time kNever = -1;

bool before(const Job& a, const Job& b) {
  return std::tuple(-a.priority, a.submit, a.arrival) <
         std::tuple(-b.priority, b.submit, b.arrival);
}

}  // namespace

Oracle::Oracle(int nodes, int fast, Time horizon, std::vector<Line> lines)
    : fast_(fast),
      horizon_(horizon),
      lines_(std::move(lines)),
      up_(static_cast<std::size_t>(nodes), true) {}

// --- Events

Job* Oracle::find(Id id) {
  const auto at = jobs_.find(id);
  return at == jobs_.end() || at->second.state == State::gone ? nullptr : &at->second;
}

bool Oracle::submit(Job job) {
  if (find(job.id) != nullptr) return false;
  const std::int64_t most = job.fast ? fast_ : static_cast<std::int64_t>(up_.size());
  if (job.nodes > most) {
    ++denied_;
    return true;
  }
  job.arrival = arrivals_++;
  happened_ = happened_ || job.state == State::waiting;
  jobs_[job.id] = job;
  return true;
}

// What was promised to it is given back.
void Oracle::leave_queue(Job& job) {
  if (job.state == State::held) return;
  if (job.state == State::promised) unpromise(job);
  job.stuck = false;
  happened_ = true;
}

bool Oracle::cancel(Id id) {
  Job* job = find(id);
  if (job == nullptr || job->state == State::running) return false;
  leave_queue(*job);
  job->state = State::gone;
  return true;
}

bool Oracle::hold(Id id) {
  Job* job = find(id);
  if (job == nullptr || job->state == State::running) return false;
  leave_queue(*job);
  job->state = State::held;
  return true;
}

bool Oracle::release(Id id) {
  Job* job = find(id);
  if (job == nullptr) return false;
  if (job->state != State::held) return true;
  job->state = State::waiting;
  happened_ = true;
  return true;
}

// It keeps its promise, if its discipline lets it.
bool Oracle::set_priority(Id id, std::int64_t priority) {
  Job* job = find(id);
  if (job == nullptr || job->state == State::running) return false;
  if (job->priority == priority) return true;
  job->priority = priority;
  job->stuck = false;
  happened_ = happened_ || job->state != State::held;
  return true;
}

bool Oracle::ended(Id id, Time at) {
  Job* job = find(id);
  if (job == nullptr || job->state != State::running) return false;
  if (std::max(at, now_) < job->end) given_back_ = true;
  freed_ = happened_ = true;
  job->state = State::gone;
  return true;
}

// All promises are made anew.
void Oracle::set_up(int node, bool up) {
  for (Job* job : promised()) unpromise(*job);
  up_[static_cast<std::size_t>(node)] = up;
  happened_ = freed_ = given_back_ = true;
}

void Oracle::advance(Time now) {
  now_ = now;
  for (Job* job : promised()) {
    if (job->start > now_) return;
    start(*job);
    happened_ = true;
  }
}

void Oracle::work() {
  while (happened_) {
    nodes_or_numbers();
    for (std::size_t line = 0; line < lines_.size(); ++line) take_back(line);
    if (freed_) {  // who was stuck may be promised something, and others then nothing
      for (auto& [id, job] : jobs_) job.stuck = false;
      for (std::size_t line = 0; line < lines_.size(); ++line) take_back(line);
    }
    const bool earlier = given_back_;
    happened_ = freed_ = given_back_ = false;
    for (bool moved = earlier; moved;) {
      moved = false;
      for (std::size_t line = 0; line < lines_.size(); ++line) moved = move_earlier(line) || moved;
    }
    for (std::size_t line = 0; line < lines_.size(); ++line) look(line);
  }
}

// --- Who waits

std::vector<Job*> Oracle::queue(std::size_t line) {
  std::vector<Job*> out;
  for (auto& [id, job] : jobs_) {
    const bool waits = job.state == State::waiting || job.state == State::promised;
    if (waits && job.line == line) out.push_back(&job);
  }
  std::ranges::sort(out, [](const Job* a, const Job* b) { return before(*a, *b); });
  return out;
}

// In the order of their starts.
std::vector<Job*> Oracle::promised() {
  std::vector<Job*> out;
  for (auto& [id, job] : jobs_) {
    if (job.state == State::promised) out.push_back(&job);
  }
  std::ranges::sort(out, [](const Job* a, const Job* b) {
    return a->start != b->start ? a->start < b->start : before(*a, *b);
  });
  return out;
}

std::size_t Oracle::promises_max(const Line& line) const {
  if (line.discipline == "fcfs") return 0;
  if (line.discipline == "easy") return 1;
  if (line.discipline == "hybrid") return line.reservations;
  return SIZE_MAX;
}

// --- Time and nodes

bool Oracle::usable(const Job& job, int node) const {
  return up_[static_cast<std::size_t>(node)] && (!job.fast || node < fast_);
}

bool Oracle::idle(int node, Time from, Time until) const {
  return std::ranges::none_of(jobs_, [&](const auto& entry) {
    const Job& job = entry.second;
    return (job.state == State::running || job.state == State::promised) && job.start < until &&
           from < job.end && std::ranges::count(job.on, node) > 0;
  });
}

// The lowest nodes that are idle all the time; none if they are too few.
std::vector<int> Oracle::choose(const Job& job, Time from, Time until) const {
  std::vector<int> out;
  for (int node = 0; node < static_cast<int>(up_.size()); ++node) {
    if (std::ssize(out) < job.nodes && usable(job, node) && idle(node, from, until)) {
      out.push_back(node);
    }
  }
  if (std::ssize(out) < job.nodes) out.clear();
  return out;
}

// How many nodes that are up somebody has, or is promised.
std::int64_t Oracle::taken(Time at) const {
  std::int64_t out = 0;
  for (const auto& [id, job] : jobs_) {
    if (job.start > at || at >= job.end) continue;
    if (job.state == State::promised) out += job.nodes;
    if (job.state == State::running) {
      out += std::ranges::count_if(job.on, [&](int n) { return up_[static_cast<std::size_t>(n)]; });
    }
  }
  return out;
}

Time Oracle::end_of(const Job& job, Time start) const {
  return job.duration == 0 || job.duration > horizon_ - start ? horizon_ : start + job.duration;
}

bool Oracle::fits(const Job& job, Time start) const {
  const Time end = end_of(job, start);
  if (!by_numbers_) return !choose(job, start, end).empty();
  const std::int64_t left = std::ranges::count(up_, true) - job.nodes;
  if (taken(start) > left) return false;
  // More are taken only from when a promise begins.
  return std::ranges::none_of(jobs_, [&](const auto& entry) {
    const Job& other = entry.second;
    return other.state == State::promised && start < other.start && other.start < end &&
           taken(other.start) > left;
  });
}

// A job that does not fit fits first when somebody else has ended.
Time Oracle::earliest(const Job& job) const {
  std::set<Time> times{now_};
  for (const auto& [id, other] : jobs_) {
    const bool plans = other.state == State::running || other.state == State::promised;
    if (plans && now_ < other.end && other.end < horizon_) times.insert(other.end);
  }
  const auto found = std::ranges::find_if(times, [&](Time time) { return fits(job, time); });
  return found == times.end() ? kNever : *found;
}

void Oracle::promise(Job& job, Time start) {
  job.start = start;
  job.end = end_of(job, start);
  if (!by_numbers_) job.on = choose(job, job.start, job.end);
  job.state = State::promised;
}

void Oracle::unpromise(Job& job) {
  job.state = State::waiting;
  job.on.clear();
  freed_ = given_back_ = true;
}

void Oracle::start(Job& job) {
  job.start = now_;
  job.end = end_of(job, now_);
  if (job.on.empty()) job.on = choose(job, job.start, job.end);
  job.state = State::running;
}

// --- A pass

// Nodes are not alike while anybody asks for fast ones.
void Oracle::nodes_or_numbers() {
  const bool alike = std::ranges::none_of(jobs_, [](const auto& entry) {
    return entry.second.fast && entry.second.state != State::gone;
  });
  if (alike == by_numbers_) return;
  by_numbers_ = alike;
  for (Job* job : promised()) job->on.clear();
  if (alike) {
    freed_ = given_back_ = true;
    return;
  }
  for (Job* job : promised()) job->on = choose(*job, job->start, job->end);
}

void Oracle::take_back(std::size_t line) {
  const Line& rules = lines_[line];
  std::size_t place = 0;
  for (Job* job : queue(line)) {
    if (job->stuck) continue;
    const bool first = place < promises_max(rules) && place < rules.depth;
    if (job->state == State::promised && !first) unpromise(*job);
    ++place;
  }
}

// Whether anybody did.
bool Oracle::move_earlier(std::size_t line) {
  bool moved = false;
  for (Job* job : queue(line)) {
    if (job->state != State::promised) continue;
    const Job was = *job;
    job->state = State::waiting;
    job->on.clear();
    const Time start_at = earliest(*job);
    if (start_at == now_) {
      start(*job);
    } else if (start_at < was.start) {
      promise(*job, start_at);
    } else {
      *job = was;
      continue;
    }
    moved = true;
  }
  return moved;
}

void Oracle::look(std::size_t line) {
  const Line& rules = lines_[line];
  const std::vector<Job*> order = queue(line);
  std::size_t staying = 0;
  bool again = false;
  for (std::size_t n = 0; n < order.size(); ++n) {
    Job& job = *order[n];
    if (job.stuck) continue;
    if (staying >= rules.depth) return;
    if (rules.discipline != "fcfs" && staying >= promises_max(rules)) {
      if (again) return;  // who is first now is looked at before others may pass it
      fill({order.begin() + static_cast<std::ptrdiff_t>(n), order.end()}, rules.depth - staying);
      return;
    }
    if (job.state == State::promised) {
      ++staying;
    } else if (rules.discipline == "fcfs") {
      if (!fits(job, now_)) return;
      start(job);
    } else if (const Time at = earliest(job); at == now_) {
      start(job);
    } else if (at == kNever) {
      job.stuck = true;
    } else {
      promise(job, at);
      ++staying;
      // Those behind it may be too many now.
      const auto behind = order.begin() + static_cast<std::ptrdiff_t>(n + 1);
      again = again || std::any_of(behind, order.end(), [](const Job* other) {
                return other->state == State::promised;
              });
      happened_ = happened_ || again;
    }
  }
}

// Who is promised nothing starts if it fits beside all promises.
void Oracle::fill(const std::vector<Job*>& rest, std::size_t looks) {
  for (Job* job : rest) {
    if (job->stuck) continue;
    if (looks-- == 0) return;
    if (fits(*job, now_)) start(*job);
  }
}

}  // namespace copse::queue_oracle
