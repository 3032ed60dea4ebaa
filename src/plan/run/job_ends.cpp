// SPDX-License-Identifier: Apache-2.0
#include "plan/run/job_ends.hpp"

#include <algorithm>

namespace copse::plan {

Failures::Failures(const ResourceGraph& graph, const Jobs& jobs) : graph_(graph) {
  for (const Event& event : jobs.events) {
    if (event.type != Event::Type::down) continue;
    for (const PoolId node : jobs.nodes_of(event)) {
      failures_.push_back({node, {event.time_s, event.requeue}});
    }
  }
  std::ranges::stable_sort(failures_, {}, &OfNode::node);
}

// A selection lists the node of each part that it has (copse/selection.hpp).
std::optional<Failures::Failure> Failures::first(const Selection& selection, std::int64_t after_s,
                                                 std::int64_t before_s) const {
  if (failures_.empty()) return std::nullopt;
  std::optional<Failure> out;
  for (const SelectedPools& taken : selection.taken) {
    if (taken.hidden) continue;
    PoolId end{taken.first.v + taken.count};
    if (!graph_.leaf(taken.first) && (taken.exclusive || taken.whole))
      end = graph_.end(taken.first);
    for (auto at = std::ranges::lower_bound(failures_, taken.first, {}, &OfNode::node);
         at != failures_.end() && at->node < end; ++at) {
      const std::int64_t time_s = at->failure.time_s;
      if (time_s <= after_s || time_s >= before_s) continue;
      out = at->failure;
      before_s = time_s;
    }
  }
  return out;
}

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
