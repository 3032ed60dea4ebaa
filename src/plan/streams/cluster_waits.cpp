// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/cluster_waits.hpp"

#include <algorithm>
#include <cstdint>

#include "plan/streams/job_after.hpp"

namespace copse::plan {

namespace {

std::string user_and_name(const ClusterJob& job) { return job.user + '\0' + job.name; }

Dependency::On dependency_on(ClusterAfter::On on) {
  switch (on) {
    case ClusterAfter::On::ended_well: return Dependency::On::ended_well;
    case ClusterAfter::On::ended: return Dependency::On::ended;
    case ClusterAfter::On::failed: return Dependency::On::failed;
    case ClusterAfter::On::started: return Dependency::On::started;
  }
  return Dependency::On::ended_well;
}

}  // namespace

ClusterWaits::ClusterWaits(const ClusterJobs& list) {
  const bool any = std::ranges::any_of(list.jobs, [](const ClusterJob& job) {
    return !job.request.after.empty() || job.request.alone_of_name;
  });
  if (!any) return;
  for (const ClusterJob& job : list.jobs) {
    if (job.over) continue;
    std::vector<std::string_view> ids{job.id};
    for (const std::string_view id :
         {std::string_view(job.array_id), std::string_view(job.task_id)}) {
      if (!id.empty() && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    }
    for (const std::string_view id : ids) by_id_[id].push_back(&job);
    by_user_and_name_[user_and_name(job)].push_back(&job);
  }
}

void ClusterWaits::await(const ClusterJob& job, const ClusterJob& other, WaitReason what,
                         std::int64_t begin_s, Job& made) {
  if (&other == &job) return;
  if (!other.running) {
    waits_.push_back({job.id, other.id, what.on, what.later_s});
  } else if (what.on == Dependency::On::started) {
    made.submit_s = std::max(made.submit_s, other.start_s + what.later_s - begin_s);
  } else if (other.end_s == 0 || what.on == Dependency::On::failed) {
    held_.push_back(job.id);
  } else {
    // A job that still runs after its end gets one second more.
    made.submit_s = std::max({made.submit_s, other.end_s - begin_s, INT64_C(1)});
    for_running_.insert(job.id);
  }
}

// A dependency on an unknown job is satisfied: that job has ended.
void ClusterWaits::add(const ClusterJob& job, std::int64_t begin_s, Job& made) {
  if (job.request.held) held_.push_back(job.id);
  for (const ClusterAfter& after : job.request.after) {
    const auto found = by_id_.find(after.id);
    if (found == by_id_.end()) continue;
    for (const ClusterJob* other : found->second) {
      await(job, *other, {dependency_on(after.on), after.later_s}, begin_s, made);
    }
  }
  if (!job.request.alone_of_name) return;
  for (const ClusterJob* other : by_user_and_name_[user_and_name(job)]) {
    if (other == &job) break;  // later ones of the list wait for this one
    await(job, *other, {Dependency::On::ended}, begin_s, made);
  }
  for (const ClusterJob* other : by_user_and_name_[user_and_name(job)]) {
    if (other->running) await(job, *other, {Dependency::On::ended}, begin_s, made);
  }
}

Result<void> ClusterWaits::finish(Jobs& jobs) {
  JobNumbers numbers;
  for (std::uint32_t j = 0; j < jobs.jobs.size(); ++j) numbers.emplace(jobs.jobs[j].name, j);
  std::vector<Awaited> list;
  for (const Wait& wait : waits_) {
    const auto job = numbers.find(wait.job);
    if (job == numbers.end()) continue;
    if (list.size() == kAfterMax) {
      return fail(ErrorCode::limit, "the jobs wait for too many others");
    }
    if (numbers.contains(wait.other)) {
      list.push_back({.job = job->second,
                      .name = std::string(wait.other),
                      .line = 0,
                      .on = wait.on,
                      .delay_s = wait.later_s});
    } else {
      held_.push_back(wait.job);
    }
  }
  std::ranges::stable_sort(list, {}, &Awaited::job);
  if (auto ok = set_after(jobs, list, numbers, {}); !ok) return ok;
  const std::unordered_set<std::string_view> held(held_.begin(), held_.end());
  for (std::uint32_t j = 0; j < jobs.jobs.size() && !held.empty(); ++j) {
    if (!held.contains(jobs.jobs[j].name)) continue;
    jobs.events.push_back({.time_s = jobs.jobs[j].submit_s, .type = Event::Type::hold, .job = j});
  }
  return {};
}

}  // namespace copse::plan
