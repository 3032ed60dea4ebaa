// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/reserved_jobs.hpp"

#include <algorithm>

#include "request/constraint.hpp"

namespace copse::queue {

void ReservedJobs::insert(const Waiter& waiter) {
  waiting_.insert(waiter);
  needs_recheck_ = true;
}

void ReservedJobs::recheck() {
  failed_.clear();
  needs_recheck_ = true;
}

void ReservedJobs::forget_kind(std::uint32_t kind) {
  failed_.erase(kind);
  std::erase(drawing_, kind);
  prepared_.erase(kind);
}

// The nodes belong to the reservation, but layers and channels are shared: any pass may find more
// free.
void ReservedJobs::begin() {
  for (const std::uint32_t kind : drawing_) failed_.erase(kind);
  passing_ = needs_recheck_ || !drawing_.empty();
  drawing_.clear();
  needs_recheck_ = false;
  cursor_.reset();
}

bool ReservedJobs::run(const SharedParts& shared, const ReservationSpec& spec, ReservedNodes& nodes,
                       JobId& next_id, WorkBudget& budget) {
  while (passing_) {
    const auto at = cursor_ ? waiting_.upper_bound({*cursor_, {}, {}}) : waiting_.begin();
    if (at == waiting_.end()) {
      passing_ = false;
      return true;
    }
    cursor_ = at->position;
    const QueuedJob& job = shared.jobs[at->slot];
    // The admitted users may have changed since the job was submitted.
    if (check_admission(spec, shared.priorities.name(job.user), 0))
      start(shared, nodes, next_id, at->slot);
    if (budget.spend()) return false;
  }
  return true;
}

// The request of a kind, restricted to these nodes; nullptr: it cannot be prepared.
PreparedRequest* ReservedJobs::prepared(const SharedParts& shared, const ReservedNodes& nodes,
                                        std::uint32_t kind) {
  const auto [at, is_new] = prepared_.try_emplace(kind);
  if (is_new) {
    Request request = shared.kinds.request(kind);
    Constraint own_nodes{.op = Constraint::Op::hostlist, .words = {}, .ranks = {}, .operands = {}};
    own_nodes.words = nodes.names();
    std::ranges::sort(own_nodes.words);
    request.constraint = both(std::move(own_nodes), std::move(request.constraint));
    if (auto made = shared.engine.prepare(std::move(request))) at->second = std::move(*made);
  }
  return at->second ? &*at->second : nullptr;
}

// An occurrence without nodes, because they were not available, does not decide for the next one.
bool ReservedJobs::could_fit(const SharedParts& shared, const ReservedNodes& nodes,
                             std::uint32_t kind) {
  if (nodes.nodes().empty()) return true;
  PreparedRequest* const request = prepared(shared, nodes, kind);
  if (request == nullptr) return false;
  request->set_duration(1);
  return shared.engine.match(Operation::satisfiability, *request, 0).has_value();
}

// Starts the job if it fits now, and ends in time.
void ReservedJobs::start(const SharedParts& shared, ReservedNodes& nodes, JobId& next_id,
                         Slot slot) {
  const QueuedJob& job = shared.jobs[slot];
  const std::int64_t now_s = shared.engine.now(), left_s = nodes.end_s() - now_s;
  const std::int64_t duration_s = job.duration_s == kEndless_s ? left_s : job.duration_s;
  if (duration_s > left_s || nodes.nodes().empty()) return;
  if (shared.promises.is_limited(slot)) {
    needs_recheck_ = true;  // any end of a job may let it start
    return;
  }
  const auto failed = failed_.find(job.kind);
  if (failed != failed_.end() && duration_s >= failed->second) return;
  PreparedRequest* request = prepared(shared, nodes, job.kind);
  if (request == nullptr) return;
  request->set_duration(duration_s);
  if (!shared.promises.layers_serve(slot, now_s + duration_s, nodes.nodes())) {
    drawing_.push_back(job.kind);
    return;
  }
  if (!nodes.admit(shared.engine, next_id, *request, job.id, now_s, now_s + 1)) {
    const JobKind& kind = shared.kinds[job.kind];
    if (kind.fixed) failed_[job.kind] = duration_s;
    if (kind.charges) drawing_.push_back(job.kind);
    return;
  }
  waiting_.erase({job.position, slot, job.duration_s});
  shared.promises.start_granted(slot);
  shared.priorities.started(job.user, shared.kinds[job.kind].cores, now_s);
  shared.sink.started(job.id, *shared.engine.grant(job.id));
}

}  // namespace copse::queue
