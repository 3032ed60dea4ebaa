// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/live_jobs.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "base/job_id.hpp"
#include "queue/answers/answer_text.hpp"
#include "server/jobs/job_lists.hpp"
#include "server/jobs/job_request.hpp"
#include "server/jobs/turn.hpp"
#include "session/ranks.hpp"

namespace copse::server {

namespace {

using Op = SessionLine::Op;

std::vector<queue::QueueSpec> specs_or_default(const std::vector<queue::QueueSpec>& given) {
  if (!given.empty()) return given;
  return {{.discipline = *find_discipline("easy")}};
}

}  // namespace

LiveJobs::LiveJobs(Setup setup) : setup_(std::move(setup)), book_(setup_.book) {}

Result<void> LiveJobs::begin(Session& session) {
  session_ = &session;
  queue::QueueSink& sink = *this;
  queue_ = std::make_unique<queue::JobQueue>(session.engine_for_jobs(),
                                             specs_or_default(setup_.queues), sink, setup_.rule);
  answers_ = std::make_unique<queue::Answers>(*queue_);
  drains_.begin(*queue_);
  if (auto booked = reservations_.begin(*queue_, book_, setup_.user_of); !booked) return booked;
  std::deque<JobRequest> requests;  // stay where they are, until all are there
  std::vector<queue::Resumption> jobs;
  for (const auto& [id, row] : book_.rows()) {
    if (row->stage == JobStage::ended) continue;
    auto request = JobRequest::of(*row);
    if (!request) {
      return fail(request.error().code,
                  fmt::format("job {} can't be read: {}", id, request.error().message()));
    }
    const JobRequest& one = requests.emplace_back(std::move(*request));
    jobs.push_back({.job = one.submission(*row),
                    .state = queue_state(*row),
                    .start_s = row->stage == JobStage::running ? row->started : row->planned,
                    .end_s = session.engine().options().horizon,
                    .first_reported_s = row->first_planned});
  }
  return queue_->resume(jobs);
}

// --- Time

std::int64_t LiveJobs::lease_now_s() const { return setup_.steady_s ? setup_.steady_s() : now_s(); }

Result<void> LiveJobs::advance(std::int64_t now_s) {
  const std::int64_t lease_s = setup_.steady_s ? setup_.steady_s() : std::max(now_s, this->now_s());
  if (!std::exchange(leases_begun_, true)) {
    for (const auto& [id, row] : book_.rows()) {
      if (row->stage == JobStage::running) leases_.begin(id, row->lease, lease_s);
    }
  }
  while (const auto id = leases_.over(lease_s)) {
    const std::int64_t silent_s = book_.find(*id)->lease;
    std::string ran = stay_of(*id);
    [[maybe_unused]] const auto ended = queue_->ended(*id, this->now_s());
    assert(ended);
    const auto message = fmt::format("its executor was silent for {} seconds", silent_s);
    settle(*id, {.result = "lost", .message = message, .ran = std::move(ran)});
  }
  if (now_s <= this->now_s()) return {};
  auto done = queue_->advance(now_s);
  reservations_.note();
  return done;
}

bool LiveJobs::work() {
  Turn turn(setup_.turn);
  if (!queue_->work(turn.slice)) return false;
  answering_ = answering_ && !answers_->work(turn.slice);
  return !answering_;
}

bool LiveJobs::is_due(std::int64_t now_s) const {
  const auto next_s = queue_->next_time();
  if (next_s && *next_s <= now_s) return true;
  const std::int64_t lease_s = setup_.steady_s ? setup_.steady_s() : std::max(now_s, this->now_s());
  return leases_.over(lease_s).has_value();
}

// --- What becomes of jobs

void LiveJobs::started(JobId id, const Grant& grant) {
  BesideEvent beside;
  session_->append_r(grant, book_.find(id)->queue, beside.r);
  if (!grant.charges.empty()) beside.layers = session_->engine().charges_text(grant.charges);
  const auto starts = [&grant](JobRow& row) {
    row.stage = JobStage::running;
    row.planned = -1;
    row.started = grant.start;
  };
  book_.change(id, "start", now_s(), starts, beside);
  leases_.begin(id, book_.find(id)->lease, lease_now_s());
}

void LiveJobs::planned(JobId id, std::int64_t start_s) {
  book_.change(id, "plan", now_s(), [start_s](JobRow& row) {
    row.stage = JobStage::planned;
    row.planned = start_s;
    if (row.first_planned < 0) row.first_planned = start_s;
  });
}

void LiveJobs::unplanned(JobId id) {
  const JobRow* row = book_.find(id);
  if (row == nullptr || row->stage != JobStage::planned) return;
  book_.change(id, "unplan", now_s(), [](JobRow& job) {
    job.stage = JobStage::pending;
    job.planned = -1;
  });
}

// One that is denied as it comes is in no book yet: submit() refuses it.
void LiveJobs::denied(JobId id, const Error& error) {
  if (book_.find(id) == nullptr) return;
  const std::string message = error.message();
  settle(id, {.result = "denied", .message = message});
}

std::string LiveJobs::stay_of(JobId id) {
  const Engine& engine = session_->engine();
  const Grant* grant = engine.grant(id);
  return grant == nullptr ? std::string() : stays_.text(engine, *grant);
}

void LiveJobs::settle(JobId id, const Outcome& outcome) {
  leases_.end(id);
  book_.change(id, "end", now_s(), [&, now = now_s()](JobRow& row) {
    row.stage = JobStage::ended;
    row.planned = -1;
    row.held = false;
    row.ended = now;
    row.result = outcome.result;
    row.status = outcome.status;
    row.message = outcome.message;
    row.ran = outcome.ran;
  });
}

// --- Lines

Result<void> LiveJobs::run(const SessionLine& line, JobCaller& caller, std::string& out) {
  switch (line.op) {
    case Op::submit: return submit(line, caller, out);
    case Op::jobs: return list_jobs(book_, line, setup_.user_of, out);
    case Op::queue: list_queues(*queue_, out); return {};
    case Op::watch: return watch(line, caller, out);
    case Op::reservations:
    case Op::add_reservation:
    case Op::end_reservation:
    case Op::try_reservation: return reservations_.run(line, caller, out);
    case Op::drain:
    case Op::undrain:
    case Op::drains: return drains_.run(line, caller, out);
    default: break;
  }
  const auto id = known(line);
  if (!id) return std::unexpected(id.error());
  Result<void> done;
  switch (line.op) {
    case Op::job: {
      JsonWriter json(out);
      json.object([&] {
        const JobRow& row = *book_.find(*id);
        write_job(json, row);
        if (row.stage != JobStage::running || session_->engine().grant(*id) == nullptr) return;
        json.key("R");
        session_->append_r(*session_->engine().grant(*id), row.queue, json.begin());
      });
      return {};
    }
    case Op::why:
    case Op::when: return why(*id, line, out);
    case Op::hold: done = hold(*id); break;
    case Op::release: done = release(*id); break;
    case Op::priority: done = set_priority(*id, line); break;
    case Op::cancel: done = cancel(*id); break;
    case Op::end: done = line.ranks ? end_ranks(*id, line) : end(*id, line); break;
    case Op::renew: done = renew(*id); break;
    default: assert(false); break;
  }
  if (done) out += "{}";
  return done;
}

Result<JobId> LiveJobs::known(const SessionLine& line) const {
  if (!line.id) return missing("id");
  const auto id = static_cast<JobId>(*line.id);
  if (const JobRow* row = book_.find(id)) {
    if (row->stage != JobStage::ended || line.op == Op::job) return id;
    return fail(ErrorCode::invalid, fmt::format("job {} has ended", id));
  }
  const char* beside = session_->engine().grant(id) == nullptr ? "" : ": that is a grant";
  return fail(ErrorCode::not_found, fmt::format("there is no job {}{}", id, beside));
}

// One that ended is remembered for a while: until then whoever asks after it is to get no other.
Result<void> LiveJobs::check_new_id(JobId id) const {
  const std::int64_t number = Session::id_of(id);
  if (number >= kOwnIdEnd) {
    return fail(ErrorCode::invalid,
                fmt::format("\"id\" {} is too large: an id of your own is below {} (2^62)", number,
                            kOwnIdEnd));
  }
  const JobRow* known = book_.find(id);
  if (known == nullptr) return {};
  return fail(
      ErrorCode::exists,
      known->stage == JobStage::ended
          ? fmt::format("\"id\" {} is that of a job that ended lately: choose another", number)
          : fmt::format("there is a job {} already", number));
}

Result<void> LiveJobs::submit(const SessionLine& line, const JobCaller& caller, std::string& out) {
  auto row = submitted_row(line, caller);
  if (!row) return std::unexpected(row.error());
  if (setup_.user_of) row->user = setup_.user_of(row->user);
  if (line.id) {
    if (auto ok = check_new_id(row->id); !ok) return ok;
  } else {
    row->id = book_.next_id();
    while (session_->engine().grant(row->id) != nullptr) ++row->id;
  }
  row->submitted = now_s();
  row->arrival = static_cast<std::int64_t>(book_.events().next()) + 1;
  if (auto ok = book_.admit(*row, caller.operates); !ok) return ok;
  const auto request = JobRequest::of(*row);
  if (!request) return std::unexpected(request.error());
  if (!row->jobspec.empty()) row->duration = request->request.duration_s;
  if (!setup_.limits.empty()) {
    const auto broken = setup_.limits.broken(
        row->queue, queue::size_of(request->request, session_->engine().graph()), row->duration);
    if (!broken.empty()) return fail(ErrorCode::invalid, broken);
  }
  const auto denied = queue_->submit(request->submission(*row));
  if (!denied) return std::unexpected(denied.error());
  if (*denied) return std::unexpected(**denied);
  const JobId id = row->id;
  book_.add(std::move(*row), now_s());
  JsonWriter json(out);
  json.object([&] { json.member("id", id); });
  return {};
}

Result<void> LiveJobs::hold(JobId id) {
  if (auto ok = queue_->hold(id); !ok) return ok;
  if (book_.find(id)->held) return {};
  book_.change(id, "hold", now_s(), [](JobRow& row) {
    row.stage = JobStage::pending;
    row.planned = -1;
    row.held = true;
  });
  return {};
}

Result<void> LiveJobs::release(JobId id) {
  if (auto ok = queue_->release(id); !ok) return ok;
  if (!book_.find(id)->held) return {};
  book_.change(id, "release", now_s(), [](JobRow& row) { row.held = false; });
  return {};
}

Result<void> LiveJobs::set_priority(JobId id, const SessionLine& line) {
  if (!line.priority) return missing("priority");
  if (auto ok = queue_->set_priority(id, *line.priority); !ok) return ok;
  if (book_.find(id)->priority == *line.priority) return {};
  book_.change(id, "priority", now_s(), [&](JobRow& row) { row.priority = *line.priority; });
  return {};
}

// One that runs is its executor's to stop.
Result<void> LiveJobs::cancel(JobId id) {
  const JobRow& row = *book_.find(id);
  if (row.stage == JobStage::running) {
    if (!row.stopping) book_.change(id, "stop", now_s(), [](JobRow& job) { job.stopping = true; });
    return {};
  }
  if (auto ok = queue_->cancel(id); !ok) return ok;
  settle(id, {.result = "cancelled"});
  return {};
}

Result<void> LiveJobs::end(JobId id, const SessionLine& line) {
  std::string ran = stay_of(id);
  if (auto ok = queue_->ended(id, now_s()); !ok) return ok;
  settle(id, {.result = book_.find(id)->stopping ? "cancelled" : "done",
              .status = line.status.value_or(0),
              .ran = std::move(ran)});
  return {};
}

Result<void> LiveJobs::end_ranks(JobId id, const SessionLine& line) {
  const Engine& engine = session_->engine();
  const auto pools = pools_to_give_back(engine.graph(), engine.grant(id), *line.id, *line.ranks);
  if (!pools) return std::unexpected(pools.error());
  std::string ran = stay_of(id);
  const auto over = queue_->ended_part(id, *pools);
  if (!over) return std::unexpected(over.error());
  if (*over) {
    settle(id, {.result = book_.find(id)->stopping ? "cancelled" : "done",
                .status = line.status.value_or(0),
                .ran = std::move(ran)});
  } else {
    BesideEvent beside;
    beside.ranks = *line.ranks;
    book_.change(id, "part", now_s(), [](JobRow&) {}, beside);
  }
  return {};
}

Result<void> LiveJobs::renew(JobId id) {
  const JobRow& row = *book_.find(id);
  if (row.stage != JobStage::running) {
    return fail(ErrorCode::invalid, fmt::format("job {} does not run", id));
  }
  leases_.begin(id, row.lease, lease_now_s());
  return {};
}

Result<void> LiveJobs::why(JobId id, const SessionLine& line, std::string& out) {
  Turn turn(setup_.turn);
  answering_ = !answers_->work(turn.slice);
  const auto answer = answers_->of(id);
  if (!answer) return std::unexpected(answer.error());
  if (line.op == Op::why) {
    queue::append_answer_json(out, *answer);
    return {};
  }
  const auto start_s = answer->promised_s ? answer->promised_s : answer->expected_s;
  JsonWriter json(out);
  json.object([&] {
    json.member("id", id);
    json.key("start");
    if (start_s) {
      json.value(*start_s);
    } else {
      json.json("null");
    }
    json.member("promised", answer->promised_s.has_value());
    if (answering_) json.member("looking", true);  // ask again: nobody has looked so far yet
  });
  return {};
}

bool LiveJobs::look() {
  Turn turn(setup_.turn);
  answering_ = !answers_->work(turn.slice);
  return !answering_;
}

Result<void> LiveJobs::watch(const SessionLine& line, JobCaller& caller, std::string& out) {
  const JobEventLog& events = book_.events();
  const std::uint64_t next = line.since ? static_cast<std::uint64_t>(*line.since) : events.next();
  if (next > events.next()) {
    return fail(ErrorCode::invalid, fmt::format("the next event is {}", events.next()));
  }
  caller.watch = {.next = next, .job = static_cast<JobId>(line.id.value_or(0))};
  JsonWriter json(out);
  json.object([&] {
    json.member("next", events.next());
    json.member("oldest", events.oldest());
  });
  return {};
}

// --- What other lines change

MatchResult LiveJobs::grant(Operation operation, PreparedRequest& request, JobId id) {
  if (auto ok = check_new_id(id); !ok) return std::unexpected(NoMatch(ok.error()));
  if (operation == Operation::allocate_orelse_reserve && admit_) {
    if (auto ok = admit_(); !ok) return std::unexpected(NoMatch(ok.error()));
  }
  return queue_->grant_outside_queue(operation, request, id);
}
Result<void> LiveJobs::free(JobId id) { return queue_->free_outside_queue(id); }
Result<void> LiveJobs::free(JobId id, std::span<const PoolId> pools) {
  const auto gone = queue_->free_outside_queue(id, pools);
  if (!gone) return std::unexpected(gone.error());
  return {};
}
void LiveJobs::set_status(std::span<const PoolId> pools, Status status) {
  drains_.set_status(pools, status);
}
void LiveJobs::layers_changed() { queue_->layers_changed(); }
std::string LiveJobs::name_beside(JobId grant) const {
  if (!is_reservation(grant)) return {};
  return queue::names_with_reservations(queue_->view().reservations, {})(grant);
}

}  // namespace copse::server
