// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/live_jobs.hpp"

#include <cassert>

#include <fmt/format.h>

#include "base/job_id.hpp"
#include "queue/answers/answer_text.hpp"
#include "request/jobspec/start_conditions.hpp"
#include "server/answers/job_answers.hpp"
#include "server/grants/user_grants.hpp"
#include "server/jobs/job_lists.hpp"
#include "server/jobs/pass_budget.hpp"
#include "server/leases/down_jobs.hpp"

namespace copse::server {

using Op = SessionRequest::Op;

LiveJobs::LiveJobs(Setup setup)
    : setup_(std::move(setup)), table_(setup_.table), deadlines_(setup_.graces) {
  if (setup_.queues.empty()) setup_.queues = {{.discipline = *find_discipline("easy")}};
}

Result<void> LiveJobs::begin(Session& session) {
  session_ = &session;
  set_defaults();
  recorder_.begin(session);
  queue_ = std::make_unique<queue::JobQueue>(
      session.mutable_engine(), setup_.queues, recorder_, setup_.rule,
      queue::RunningLimits(setup_.running_limits, setup_.groups_of));
  reports_.begin(session, *queue_);
  answers_ = std::make_unique<queue::Answers>(*queue_);
  drains_.begin(*queue_);
  if (auto booked = reservations_.begin(*queue_, table_, setup_.user_of, setup_.calendar); !booked)
    return booked;
  usage_.keep_priorities([this](JobId id) {
    const JobRow* const row = table_.find(id);
    return row != nullptr && row->stage != JobStage::running && row->stage != JobStage::ended;
  });
  queue_->resume(usage_.rows());
  for (const JobId id : jobs_with_queue_again(table_.rows(), setup_.queues)) release_row(id);
  ResumedJobs jobs = resumed_jobs(table_.rows(), setup_.queues, session.engine().options().horizon);
  for (queue::Resumption& job : jobs.resumptions) job.priority = usage_.priority_of(job.job.id);
  refused_ = jobs.refused;
  for (const auto& [id, reason] : refused_) set_aside(id, reason);
  return queue_->resume(jobs.resumptions);
}

// Of a TreePool, memory is a hint: answers would have a remark on what their requests do not name.
void LiveJobs::set_defaults() {
  const Engine& engine = session_->engine();
  queue::JobDefaults given = setup_.defaults;
  if (engine.options().traverser == Traverser::treepool) given.memory.clear();
  defaults_ = {std::move(given), engine.graph()};
}

// A version that reads its request again leaves it on hold, with the reason, until it is released.
void LiveJobs::set_aside(JobId id, const std::string& reason) {
  const JobRow& row = *table_.find(id);
  if (row.stage == JobStage::running) return;
  if (session_->engine().grant(id) != nullptr) (void)queue_->free_outside_queue(id);
  if (row.held && (row.message == reason || row.message.empty())) return;
  table_.change(id, "hold", now_s(), [&reason](JobRow& job) {
    job.stage = JobStage::pending;
    job.planned = -1;
    job.held = true;
    job.message = reason;
  });
}

// --- Time

Result<void> LiveJobs::advance(std::int64_t now_s) {
  if (!std::exchange(leases_begun_, true)) {
    for (const auto& [id, row] : table_.rows()) {
      if (row->stage != JobStage::running) continue;
      deadlines_.lease(id, row->lease);
      if (row->stopping) deadlines_.stopping(id);
    }
    deadlines_.set_down(jobs_on_down_nodes(session_->engine(), table_, drains_));
  }
  if (now_s <= this->now_s()) return {};
  auto done = queue_->advance(now_s);
  queue_->catch_up();  // answers have the time of the clock
  reservations_.record_bookings();
  return done;
}

void LiveJobs::expire_leases() {
  while (const auto over = deadlines_.next_over()) end_overdue(*over);
}

void LiveJobs::end_overdue(const JobDeadlines::Over& over) {
  std::string placement = recorder_.placement_of(over.job);
  const std::string why = why_overdue(over, table_.find(over.job)->lease, setup_.graces);
  [[maybe_unused]] const auto ended = queue_->ended(over.job, this->now_s());
  assert(ended);
  const bool stopped = over.cause == JobDeadlines::Cause::stopping;
  const JobOutcome outcome{
      .result = stopped ? "cancelled" : "lost", .message = why, .placement = std::move(placement)};
  over.cause == JobDeadlines::Cause::down ? lose(over.job, outcome)
                                          : recorder_.finish(over.job, outcome);
}

bool LiveJobs::work() {
  PassBudget budget(setup_.start_budget);
  if (!queue_->work(budget.slice)) return false;
  answers_pending_ = answers_pending_ && !answers_->work(budget.slice);
  return !answers_pending_;
}

void LiveJobs::lose(JobId id, const JobOutcome& outcome) {
  const JobRow& before = *table_.find(id);
  const auto request = JobRequest::of(before, session_->limits().request);
  if (!before.requeue || before.stopping || !request) return recorder_.finish(id, outcome);
  recorder_.requeue(id, outcome.message);
  // The machine may be too small for it now: then the queue denies it, and it has ended.
  const auto denied = queue_->submit(request->submission(*table_.find(id)));
  const bool waits = denied && !*denied;
  if (!waits && table_.find(id)->stage != JobStage::ended) recorder_.finish(id, outcome);
}

// --- Requests

Result<void> LiveJobs::run(const SessionRequest& line, const JobCaller& caller,
                           SessionAnswer& answer) {
  std::string& out = answer.body;
  switch (line.op) {
    case Op::submit: return submit(line, caller, answer);
    case Op::jobs:
      return list_jobs(table_, setup_.queues, line, setup_.user_of, caller.viewer, out);
    case Op::queue: list_queues(*queue_, out); return {};
    case Op::usage: list_usage(*queue_, caller.viewer, out); return {};
    case Op::watch: return begin_watch(table_.events(), incarnation_, line, answer);
    case Op::reservations:
    case Op::add_reservation:
    case Op::end_reservation:
    case Op::try_reservation:
      return reservations_.run(line, caller, hidden_from(caller.viewer), answer);
    case Op::drain:
    case Op::undrain:
    case Op::drains: return drains_.run(line, caller, out);
    default: break;
  }
  const auto id = open_job(line, caller);
  if (!id) return std::unexpected(id.error());
  Result<void> done;
  switch (line.op) {
    case Op::job: show_job(*session_, *table_.find(*id), caller.viewer, out); return {};
    case Op::why:
    case Op::when: return why(*id, line, caller, out);
    case Op::hold: done = hold(*id, caller); break;
    case Op::release: done = release(*id); break;
    case Op::priority: done = set_priority(*id, line); break;
    case Op::cancel: done = cancel(*id); break;
    case Op::end: done = reports_.end(*id, line); break;
    case Op::renew: done = reports_.renew(*id, line); break;
    default: assert(false); break;
  }
  if (done) out += "{}";
  return done;
}

Result<JobId> LiveJobs::open_job(const SessionRequest& line, const JobCaller& caller) const {
  if (!line.id) return missing("id");
  const auto id = static_cast<JobId>(*line.id);
  const JobRow* row = table_.find(id);
  if (row != nullptr && caller.viewer.of(row->user) != Visibility::hidden) {
    if (line.op == Op::job) return id;
    if (row->stage == JobStage::ended) {
      return fail(ErrorCode::invalid, fmt::format("job {} has ended", id));
    }
    const auto aside = row->held ? refused_.find(id) : refused_.end();
    if (aside == refused_.end() || line.op == Op::cancel) return id;
    return fail(ErrorCode::invalid, fmt::format("job {} is set aside: {}", id, aside->second));
  }
  const bool grant = row == nullptr && session_->engine().grant(id) != nullptr &&
                     visibility(caller.viewer, id) != Visibility::hidden;
  const char* hint = grant ? ": that is a grant" : "";
  return fail(ErrorCode::not_found, fmt::format("there is no job {}{}", id, hint));
}

Result<void> LiveJobs::submit(const SessionRequest& line, const JobCaller& caller,
                              SessionAnswer& answer) {
  auto row = submitted_row(line, caller);
  if (!row) return std::unexpected(row.error());
  if (setup_.user_of) row->user = setup_.user_of(row->user);
  if (!line.lease_s) row->lease = setup_.default_lease_s;
  if (line.id) {
    if (auto ok = table_.check_new_id(row->id); !ok) return ok;
  } else {
    const auto id = new_id();
    if (!id) return std::unexpected(id.error());
    row->id = *id;
  }
  row->operator_hold = row->held && is_of_another(*row, caller);
  row->submitted = now_s();
  row->arrival = static_cast<std::int64_t>(table_.events().next()) + 1;
  if (auto ok = table_.admit(*row, caller.is_operator); !ok) return ok;
  auto request = JobRequest::of(*row, session_->limits().request);
  if (!request) return std::unexpected(request.error());
  const StartConditions& conditions = request->request.start_conditions;
  if (auto ok = refuse_conditions(conditions, static_cast<double>(now_s())); !ok) return ok;
  if (auto ok = take_queue(*row, request->request); !ok) return ok;
  if (row->queue.empty()) row->queue = setup_.defaults.queue;
  if (auto ok = request->take_defaults(*row, defaults_.of(row->queue)); !ok) return ok;
  if (!caller.is_operator) {
    auto refused = setup_.access.refused(row->queue, row->user, setup_.groups_of);
    if (!refused.empty()) return fail(ErrorCode::invalid, std::move(refused));
  }
  if (auto ok = take_size(*row, request->request, setup_.limits, setup_.defaults,
                          session_->engine().graph());
      !ok) {
    return ok;
  }
  const std::int64_t left_s = session_->engine().options().horizon - now_s();
  if (row->duration > left_s) {
    return fail(ErrorCode::invalid, fmt::format("the duration is not between 0 and {} s", left_s));
  }
  const auto denied = queue_->submit(request->submission(*row));
  if (!denied) return std::unexpected(denied.error());
  if (*denied) return std::unexpected(**denied);
  answer.id = Session::id_of(row->id);
  table_.add(std::move(*row), now_s());
  JsonWriter json(answer.body);
  json.object([&] { json.member("id", *answer.id); });
  return {};
}

// A job that its user holds may be held by an operator, too.
Result<void> LiveJobs::hold(JobId id, const JobCaller& caller) {
  if (auto ok = queue_->hold(id); !ok) return ok;
  const JobRow& before = *table_.find(id);
  const bool by_operator = before.operator_hold || is_of_another(before, caller);
  if (before.held && before.operator_hold == by_operator) return {};
  table_.change(id, "hold", now_s(), [by_operator](JobRow& row) {
    row.stage = JobStage::pending;
    row.planned = -1;
    row.held = true;
    row.operator_hold = by_operator;
  });
  return {};
}

Result<void> LiveJobs::release(JobId id) {
  if (auto ok = queue_->release(id); !ok) return ok;
  if (table_.find(id)->held) release_row(id);
  return {};
}

void LiveJobs::release_row(JobId id) {
  table_.change(id, "release", now_s(), [](JobRow& row) {
    row.held = row.operator_hold = false;
    row.message.clear();
  });
}

Result<void> LiveJobs::set_priority(JobId id, const SessionRequest& line) {
  if (!line.priority) return missing("priority");
  if (auto ok = queue_->set_priority(id, *line.priority); !ok) return ok;
  if (table_.find(id)->priority == *line.priority) return {};
  table_.change(id, "priority", now_s(), [&](JobRow& row) { row.priority = *line.priority; });
  return {};
}

// Only its executor can stop a running job.
Result<void> LiveJobs::cancel(JobId id) {
  const JobRow& row = *table_.find(id);
  if (row.stage == JobStage::running) {
    if (row.stopping) return {};
    table_.change(id, "stop", now_s(), [](JobRow& job) { job.stopping = true; });
    deadlines_.stopping(id);
    return {};
  }
  if (refused_.erase(id) == 0) {
    if (auto ok = queue_->cancel(id); !ok) return ok;
  }
  recorder_.finish(id, {.result = "cancelled"});
  return {};
}

Result<void> LiveJobs::why(JobId id, const SessionRequest& line, const JobCaller& caller,
                           std::string& out) {
  (void)update_answers();
  const auto answer = visible_answer(*answers_, id, caller.viewer, hidden_from(caller.viewer));
  if (!answer) return std::unexpected(answer.error());
  if (line.op == Op::why) {
    queue::append_answer_json(out, *answer);
  } else {
    append_when(out, *answer, answers_pending_);
  }
  return {};
}

bool LiveJobs::update_answers() {
  const bool begun = answers_pending_ && asked_sequence_ == queue_->sequence();
  if (begun) return false;  // work() goes on
  asked_sequence_ = queue_->sequence();
  PassBudget budget(setup_.start_budget);
  answers_pending_ = !answers_->work(budget.slice);
  return !answers_pending_;
}

// --- Changes by other requests

Result<void> LiveJobs::set_nodes(const SessionRequest& line, const JobCaller& caller,
                                 Status status) {
  if (auto ok = drains_.set_nodes(line, caller, status); !ok) return ok;
  deadlines_.set_down(jobs_on_down_nodes(session_->engine(), table_, drains_));
  return {};
}

Result<void> LiveJobs::attach(std::span<const NewSubtree> subtrees) {
  auto done = queue_->attach(subtrees);
  if (done) set_defaults();
  return done;
}

// Where a job ran is not known any more once its nodes are gone.
Result<std::vector<JobId>> LiveJobs::remove(std::span<const PoolId> tops) {
  std::vector<std::pair<JobId, std::string>> running;
  for (const auto& [id, row] : table_.rows()) {
    if (row->stage == JobStage::running) running.emplace_back(id, recorder_.placement_of(id));
  }
  auto lost = queue_->remove(tops);
  if (!lost) return lost;
  set_defaults();
  for (auto& [id, placement] : running) {
    if (session_->engine().grant(id) != nullptr) continue;
    [[maybe_unused]] const auto ended = queue_->ended(id, now_s());
    assert(ended);
    lose(id, {.result = "lost",
              .message = "all of its nodes were removed",
              .placement = std::move(placement)});
  }
  deadlines_.set_down(jobs_on_down_nodes(session_->engine(), table_, drains_));
  return lost;
}

Visibility LiveJobs::visibility(const Viewer& viewer, JobId id) const {
  if (const JobRow* row = table_.find(id)) return viewer.of(row->user);
  return viewer.of(owner_of_grant_ ? owner_of_grant_(id) : std::string_view());
}

IsHidden LiveJobs::hidden_from(const Viewer& viewer) const {
  if (!viewer.misses_some()) return {};
  return [this, viewer](JobId job) {
    return !is_reservation(job) && visibility(viewer, job) == Visibility::hidden;
  };
}

MatchResult LiveJobs::grant(Operation operation, PreparedRequest& request, JobId id,
                            const JobCaller& caller) {
  if (auto ok = table_.check_new_id(id); !ok) return std::unexpected(NoMatch(ok.error()));
  if (operation == Operation::allocate_orelse_reserve && admit_reservation_) {
    if (auto ok = admit_reservation_(); !ok) return std::unexpected(NoMatch(ok.error()));
  }
  const UserGrants grants(
      {setup_.queues, setup_.limits, setup_.grants, setup_.access, setup_.groups_of, defaults_});
  return grants.grant(*queue_, operation, request, id, caller);
}
Result<void> LiveJobs::free(JobId id) { return queue_->free_outside_queue(id); }
Result<void> LiveJobs::free(JobId id, std::span<const PoolId> pools) {
  const auto gone = queue_->free_outside_queue(id, pools);
  if (!gone) return std::unexpected(gone.error());
  return {};
}
std::string LiveJobs::reservation_name(JobId grant) const {
  const auto owner = queue_->view().reservations.table().owner(grant);
  return owner ? owner->name : std::string();
}

std::string LiveJobs::reservation_label(JobId grant) const {
  if (!is_reservation(grant)) return {};
  return queue::names_with_reservations(queue_->view().reservations, {})(grant);
}

}  // namespace copse::server
