// SPDX-License-Identifier: Apache-2.0
//
// The oracle on a machine that changes, and grants that no match found.
#include <algorithm>

#include "property/oracle.hpp"

namespace copse::property {

// What a job has of a pool.
std::int64_t Oracle::units_of(const Job& job, Number v) const {
  const auto some = job.amounts.find(v);
  return some == job.amounts.end() ? vertices_[v].size : some->second;
}

void Oracle::mark(JobId id, const Job& job) {
  for (const auto& [number, exclusive] : job.pools) {
    Vertex& v = vertices_[number];
    v.touched.push_back({job.start, job.end, id});
    if (exclusive && !v.divisible) v.held.push_back({job.start, job.end, id});
    if (exclusive && v.divisible)
      v.divided.push_back({job.start, job.end, id, units_of(job, number)});
  }
  account(job, 1);
}

void Oracle::unmark(JobId id, const Job& job) {
  for (const auto& [number, exclusive] : job.pools) {
    auto of_job = [&](const Span& s) { return s.job == id; };
    std::erase_if(vertices_[number].touched, of_job);
    std::erase_if(vertices_[number].held, of_job);
    std::erase_if(vertices_[number].divided, [&](const Units& u) { return u.job == id; });
  }
  account(job, -1);
}

bool Oracle::within(Number v, const std::set<Number>& pools) const {
  for (; v != UINT32_MAX; v = vertices_[v].parent) {
    if (pools.contains(v)) return true;
  }
  return false;
}

// These pools exclusively, with the path to them.
std::map<Number, bool> Oracle::with_ways(const std::set<Number>& pools) const {
  std::map<Number, bool> out;
  for (Number v : pools) {
    for (Number up = v; up != UINT32_MAX; up = vertices_[up].parent) out[up] = within(up, pools);
  }
  return out;
}

// The remaining resources of the job after it freed some.
void Oracle::keep(JobId id, const std::set<Number>& pools) {
  Job& job = jobs_.at(id);
  unmark(id, job);
  job.pools = with_ways(pools);
  std::erase_if(job.amounts, [&](const auto& amount) { return !pools.contains(amount.first); });
  job.whole.clear();
  if (job.pools.empty()) {
    jobs_.erase(id);
  } else {
    mark(id, job);
  }
}

void Oracle::count_below(Number v, std::int64_t sign) {
  const Vertex& u = vertices_[v];
  for (Number up = u.parent; up != UINT32_MAX; up = vertices_[up].parent) {
    vertices_[up].total[u.type] += sign * u.size;
  }
}

void Oracle::attach(Number parent, const std::vector<ComingPool>& coming, Number first) {
  const std::int64_t nodes = usable_nodes();
  std::vector<Type> types;
  for (const ComingPool& c : coming) types.push_back(type(c.pool.type));
  while (vertices_.size() < first) {  // numbers that this machine never had
    vertices_.emplace_back();
    vertices_.back().gone = true;
    vertices_.back().parent = UINT32_MAX;
  }
  for (std::size_t i = 0; i < coming.size(); ++i) {
    const ComingPool& c = coming[i];
    Vertex v{};
    v.type = types[i];
    v.divisible = divisible_types_.contains(c.pool.type);
    v.size = c.pool.size;
    v.id = c.pool.id;
    v.rank = c.pool.rank;
    v.name = c.pool.name();
    v.properties = c.pool.properties;
    v.parent = c.parent == UINT32_MAX ? parent : first + c.parent;
    v.status = c.down ? Status::down : Status::up;
    v.weight = UINT64_MAX;
    const auto number = static_cast<Number>(vertices_.size());
    vertices_.push_back(v);
    vertices_[v.parent].children.push_back(number);
    vertices_[v.parent].child_types.push_back(v.type);
    count_below(number, 1);
  }
  read_filters();
  for (auto& [id, job] : jobs_) {  // a job with all of a pool also gets the pools added below it
    if (!within(parent, job.whole)) continue;
    unmark(id, job);
    for (std::size_t i = 0; i < coming.size(); ++i) {
      job.pools[first + static_cast<Number>(i)] = true;
    }
    mark(id, job);
  }
  nodes_lost_ += nodes - usable_nodes();
}

bool Oracle::remove(Number top) {
  if (top == root_) return false;
  const std::set<Number> tops{top};
  for (const auto& [from, to] : power_) {
    if (within(from, tops) || within(to, tops)) return false;
  }
  const std::int64_t nodes = usable_nodes();
  std::vector<JobId> ids;
  for (const auto& [id, job] : jobs_) ids.push_back(id);
  for (JobId id : ids) {
    std::set<Number> kept;
    bool lost = false;
    for (const auto& [number, exclusive] : jobs_.at(id).pools) {
      const bool gone = within(number, tops);
      lost |= gone;
      if (exclusive && !gone) kept.insert(number);
    }
    if (lost) keep(id, kept);
  }
  Vertex& up = vertices_[vertices_[top].parent];
  for (Number v = 0; v < vertices_.size(); ++v) {
    if (vertices_[v].gone || !within(v, tops)) continue;
    vertices_[v].gone = true;
    count_below(v, -1);
  }
  up.child_types.erase(
      std::find(up.child_types.begin(), up.child_types.end(), vertices_[top].type));
  std::erase(up.children, top);
  if (up.children.empty()) {
    up.weight = UINT64_MAX;
    up.recorded = false;
  }
  nodes_lost_ += nodes - usable_nodes();
  read_filters();
  return true;
}

Answer Oracle::update(JobId id, const std::set<Number>& pools,
                      const std::map<Number, std::int64_t>& amounts, std::int64_t start,
                      std::int64_t duration_s) {
  Answer answer;
  if (jobs_.contains(id)) {
    answer.error = ErrorCode::exists;
  } else if (start < now_ || duration_s <= 0 || start >= horizon_ || pools.empty()) {
    answer.error = ErrorCode::invalid;
  }
  if (answer.error) return answer;
  answer.start = start;
  answer.end = std::min(start + duration_s, horizon_);
  answer.pools = with_ways(pools);
  for (const auto& [number, exclusive] : answer.pools) {
    const Vertex& v = vertices_[number];
    const bool covered = v.parent != UINT32_MAX && within(v.parent, pools);
    if (exclusive && v.divisible) {
      const auto some = amounts.find(number);
      answer.amounts[number] = some == amounts.end() ? v.size : some->second;
    }
    if (covered) continue;
    if (exclusive && v.divisible) {
      const bool fits = answer.amounts[number] <= free_units(v, answer.start, answer.end);
      if (!fits) return {ErrorCode::insufficient, 0, 0, {}, {}};
      continue;
    }
    const auto& spans = exclusive ? v.touched : v.held;
    if (overlaps(spans, answer.start, answer.end)) return {ErrorCode::insufficient, 0, 0, {}, {}};
  }
  const Job job{answer.start, answer.end, answer.pools, answer.amounts, {}};
  mark(id, job);
  jobs_.emplace(id, job);
  if (first_) reweigh(answer, true);
  return answer;
}

std::optional<ErrorCode> Oracle::cancel_part(JobId id, const std::set<Number>& pools) {
  const auto it = jobs_.find(id);
  if (it == jobs_.end()) return ErrorCode::not_found;
  if (it->second.start > now_) return ErrorCode::unsupported;
  std::set<Number> kept;
  bool had = false;
  for (const auto& [number, exclusive] : it->second.pools) {
    had |= pools.contains(number);
    if (exclusive && !pools.contains(number)) kept.insert(number);
  }
  if (!had) return ErrorCode::invalid;
  keep(id, kept);
  return std::nullopt;
}

}  // namespace copse::property
