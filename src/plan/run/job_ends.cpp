// SPDX-License-Identifier: Apache-2.0
#include "plan/run/job_ends.hpp"

#include <algorithm>

namespace copse::plan {

JobEnds::JobEnds(const ResourceGraph& graph, const Jobs& jobs)
    : jobs_(jobs), failures_(graph, jobs) {
  for (const Event& event : jobs.events) {
    if (event.type == Event::Type::cancel) cancels_s_.emplace(event.job, event.time_s);
  }
}

JobEnds::End JobEnds::add(std::uint32_t job, const Grant& grant, std::int64_t now_s) {
  const Job& asked = jobs_.jobs[job];
  std::int64_t end_s = std::min(grant.end, now_s + asked.length_s());
  const bool by_clock = end_s < now_s + asked.length_s();
  Ending ending = by_clock || asked.run_s > asked.duration_s ? Ending::limit : Ending::done;
  if (const auto cancel = cancels_s_.find(job);
      cancel != cancels_s_.end() && cancel->second < end_s) {
    end_s = cancel->second;
    ending = Ending::cancelled;
  }
  if (const auto failure = failures_.first(grant.selection, now_s, end_s)) {
    end_s = failure->time_s;
    ending = failure->requeue ? Ending::requeued : Ending::failed;
  }
  const End end{end_s, added_++, job, ending, by_clock && ending == Ending::limit};
  ends_.push(end);
  return end;
}

std::optional<JobEnds::End> JobEnds::take(std::int64_t now_s) {
  if (ends_.empty() || ends_.top().time_s > now_s) return std::nullopt;
  const End end = ends_.top();
  ends_.pop();
  return end;
}

std::optional<std::int64_t> JobEnds::next_s() const {
  return ends_.empty() ? std::nullopt : std::optional(ends_.top().time_s);
}

}  // namespace copse::plan
