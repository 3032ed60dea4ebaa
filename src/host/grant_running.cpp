// SPDX-License-Identifier: Apache-2.0
#include "host/grant_running.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

namespace copse {

namespace {

// Gives an id to the jobs without one. Errors: invalid (two jobs with one id).
Result<void> choose_ids(std::vector<RunningJob>& jobs) {
  std::unordered_map<JobId, const RunningJob*> known;
  for (const bool of_names : {false, true}) {
    for (RunningJob& job : jobs) {
      if (!job.id || job.id_of_name != of_names) continue;
      const auto [other, is_new] = known.emplace(*job.id, &job);
      if (is_new) continue;
      if (!of_names) {
        return fail(
            ErrorCode::invalid,
            fmt::format("job {} is listed twice (also in {})", *job.id, other->second->where),
            {job.where});
      }
      job.id.reset();
    }
  }
  JobId next = 1;
  for (RunningJob& job : jobs) {
    if (job.id) continue;
    while (!known.emplace(next, &job).second) ++next;
    job.id = next;
  }
  return {};
}

class RunningGrants {
 public:
  RunningGrants(Engine& engine, std::optional<std::int64_t> clock_s)
      : engine_(engine), clock_s_(clock_s), layered_(!engine.layers(engine.now()).empty()) {}

  [[nodiscard]] bool has_ended(const RunningJob& job) const {
    return times_of(job).end <= engine_.options().now;
  }
  // Grants what the engine can grant. Returns a sentence for each resource that it cannot.
  std::vector<std::string> grant(RunningJob job) {
    std::vector<std::string> faults = std::move(job.missing);
    const Times times = times_of(job);
    const GrantCharges draw = charges_of(job, faults);
    if (job.pools.empty()) return faults;
    const std::int64_t duration_s = times.end - times.start;
    auto granted = engine_.update(*job.id, {job.pools, job.amounts}, times.start, duration_s, draw);
    if (!granted && granted.error().code == ErrorCode::insufficient) {
      leave_free(job, faults);
      if (job.pools.empty()) return faults;
      granted = engine_.update(*job.id, {job.pools, job.amounts}, times.start, duration_s, draw);
    }
    if (granted) {
      for (const PoolAmount& amount : job.amounts) units_[amount.pool.v] += amount.units;
      held_.emplace_back(*job.id, std::move(job.pools));
    } else {
      faults.push_back(granted.error().text);
    }
    return faults;
  }

 private:
  struct Times {
    std::int64_t start = 0, end = 0;
  };

  // By the engine's clock, which differs from that of the jobs by a constant.
  Times times_of(const RunningJob& job) const {
    const std::int64_t now = engine_.options().now, horizon = engine_.options().horizon;
    if (clock_s_) {
      // A job that was running after its end has one second left.
      const bool late = job.seen_s > 0 && job.end_s > 0 && job.end_s <= job.seen_s;
      const std::int64_t end_s = late ? std::max(job.end_s, *clock_s_ + 1) : job.end_s;
      return {std::max(now, now + (job.start_s - *clock_s_)),
              job.end_s == 0 ? horizon : now + (end_s - *clock_s_)};
    }
    // Without a clock, a job that was running has the rest of its time, at least one second.
    const std::int64_t from = std::max(job.start_s, std::min(job.seen_s, job.end_s - 1));
    const std::int64_t left_s = std::max<std::int64_t>(job.end_s - from, 1);
    return {now, job.end_s == 0 ? horizon : now + left_s};
  }

  GrantCharges charges_of(RunningJob& job, std::vector<std::string>& faults) const {
    if (!layered_) return {};
    std::erase_if(job.shares, [&](const HresShare& share) {
      const auto known = engine_.charges_of({&share, 1});
      if (!known) faults.push_back(known.error().text);
      return !known;
    });
    auto draw = engine_.charges_of(job.shares);
    if (draw) return std::move(*draw);
    faults.push_back(draw.error().text);
    return {};
  }

  // Removes pools that other jobs have, or that contain or are in such pools. O(pools of all jobs).
  void leave_free(RunningJob& job, std::vector<std::string>& faults) const {
    std::vector<PoolId>& pools = job.pools;
    const ResourceGraph& graph = engine_.graph();
    std::unordered_map<std::uint32_t, JobId> of_pool, below;
    for (const auto& [id, has] : held_) {
      for (const PoolId p : has) {
        if (!graph.divisible(p)) of_pool.emplace(p.v, id);
        for (PoolId up = graph.parent(p); up != kNoPool; up = graph.parent(up)) {
          if (!below.emplace(up.v, id).second) break;
        }
      }
    }
    std::erase_if(pools, [&](PoolId p) {
      auto other = below.find(p.v);
      if (other != below.end()) return true;  // reported for the pool below it
      for (PoolId at = p; at != kNoPool && other == below.end(); at = graph.parent(at)) {
        const auto found = of_pool.find(at.v);
        if (found == of_pool.end()) continue;
        faults.push_back(
            fmt::format("job {} has {}", found->second, graph.path(p, graph.dominant())));
        return true;
      }
      return false;
    });
    for (PoolAmount& amount : job.amounts) {
      const auto held = units_.find(amount.pool.v);
      if (held == units_.end()) continue;
      const std::int64_t left = graph.size(amount.pool) - held->second;
      if (left >= amount.units) continue;
      faults.push_back(fmt::format("other jobs have all but {} of {}", left,
                                   graph.path(amount.pool, graph.dominant())));
      amount.units = left;
      if (left <= 0) std::erase(pools, amount.pool);
    }
    std::erase_if(job.amounts, [&](const PoolAmount& amount) {
      return std::ranges::find(pools, amount.pool) == pools.end();
    });
  }

  Engine& engine_;
  std::optional<std::int64_t> clock_s_;
  std::unordered_map<std::uint32_t, std::int64_t> units_;  // of divisible pools, that jobs have
  bool layered_;
  std::vector<std::pair<JobId, std::vector<PoolId>>> held_;
};

// "job 7: the machine has no rank 9 (2 more)".
std::string sentence(JobId id, const std::vector<std::string>& faults) {
  std::string more;
  if (faults.size() > 1) more = fmt::format(" ({} more)", faults.size() - 1);
  return fmt::format("job {}: {}{}", id, faults.front(), more);
}

}  // namespace

Result<GrantedRunning> grant_running(Engine& engine, std::vector<RunningJob> jobs,
                                     std::optional<std::int64_t> clock_s, bool strict) {
  if (auto ok = choose_ids(jobs); !ok) return std::unexpected(ok.error());
  RunningGrants grants(engine, clock_s);
  GrantedRunning out;
  for (RunningJob& job : jobs) {
    if (grants.has_ended(job)) {
      ++out.ended;
      continue;
    }
    const JobId id = *job.id;
    const std::string where = job.where;
    const auto faults = grants.grant(std::move(job));
    if (faults.empty()) continue;
    if (strict) return fail(ErrorCode::invalid, sentence(id, faults), {where});
    const char* rest =
        engine.grant(id) == nullptr ? "the job is ignored" : "the rest of the job is used";
    out.problems.push_back(fmt::format("{}: {}; {}", where, sentence(id, faults), rest));
  }
  return out;
}

}  // namespace copse
