// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/live_jobs.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "queue/answers/answer_text.hpp"
#include "server/jobs/job_lists.hpp"
#include "session/ranks.hpp"
#include "session/requests.hpp"

namespace copse::server {

namespace {

using Op = SessionLine::Op;

// A word for what is the same in all jobs of a kind, with lengths: no two are written alike.
std::string kind_of(const JobRow& row) {
  return fmt::format("{}:{}{}:{}{}:{}{}", row.shape.size(), row.shape, row.constraints.size(),
                     row.constraints, row.jobspec.size(), row.jobspec, row.hres);
}

// What its line asked for.
Result<Request> request_of(const JobRow& row) {
  SessionLine line;
  if (row.jobspec.empty()) line.shape = row.shape;
  line.jobspec = row.jobspec;
  line.constraints = row.constraints;
  if (!row.hres.empty()) line.hres = row.hres;
  return copse::request_of(line);
}

queue::Submission submission_of(const JobRow& row, std::string_view kind, const Request& request) {
  return {.id = row.id,
          .submit_s = row.submitted,
          .duration_s = row.duration,
          .priority = row.priority,
          .held = row.held,
          .queue = row.queue,
          .user = row.user,
          .kind = kind,
          .request = &request,
          .arrival = static_cast<std::uint64_t>(row.arrival)};
}

queue::JobState state_of(const JobRow& row) {
  if (row.stage == JobStage::running) return queue::JobState::running;
  if (row.held) return queue::JobState::held;
  return row.stage == JobStage::planned ? queue::JobState::promised : queue::JobState::waiting;
}

std::vector<queue::LineSpec> lines_of(const std::vector<queue::LineSpec>& given) {
  if (!given.empty()) return given;
  return {{.discipline = *find_discipline("easy")}};
}

// What is kept is lines: an object of several lines becomes one. In JSON, line ends are blanks.
std::string in_one_line(std::string_view object) {
  std::string out(object);
  std::ranges::replace_if(out, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return out;
}

// How far a turn goes.
struct Turn {
  std::function<bool()> over{};
  queue::Slice slice{};

  explicit Turn(const std::function<std::function<bool()>()>& turn) {
    if (!turn) return;
    over = turn();
    slice.context = &over;
    slice.over = [](void* of) { return (*static_cast<std::function<bool()>*>(of))(); };
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};

}  // namespace

LiveJobs::LiveJobs(Setup setup) : setup_(std::move(setup)), book_(setup_.book) {}

Result<void> LiveJobs::begin(Session& session) {
  session_ = &session;
  queue::QueueSink& sink = *this;
  queue_ = std::make_unique<queue::JobQueue>(session.engine_for_jobs(), lines_of(setup_.lines),
                                             sink, setup_.rule);
  answers_ = std::make_unique<queue::Answers>(*queue_);
  struct Wanted {
    std::shared_ptr<const JobRow> row;
    std::string kind;
    Request request;
  };
  std::deque<Wanted> wanted;  // stays where it is, until all are there
  std::vector<queue::Resumption> jobs;
  for (const auto& [id, row] : book_.rows()) {
    if (row->stage == JobStage::ended) continue;
    auto request = request_of(*row);
    if (!request) {
      return fail(request.error().code,
                  fmt::format("job {} can't be read: {}", id, request.error().message()));
    }
    const Wanted& one = wanted.emplace_back(row, kind_of(*row), std::move(*request));
    jobs.push_back(
        {.job = submission_of(*one.row, one.kind, one.request),
         .state = state_of(*one.row),
         .start_s = one.row->stage == JobStage::running ? one.row->started : one.row->planned,
         .end_s = session.engine().options().horizon,
         .first_told_s = one.row->first_planned});
  }
  return queue_->resume(jobs);
}

// --- Time

Result<void> LiveJobs::advance(std::int64_t now_s) {
  if (!std::exchange(leases_begun_, true)) {
    for (const auto& [id, row] : book_.rows()) {
      if (row->stage == JobStage::running) begin_lease(id, std::max(now_s, this->now_s()));
    }
  }
  if (now_s <= this->now_s()) return {};
  while (!leases_.empty() && leases_.begin()->first <= now_s) {
    const JobId id = leases_.begin()->second;
    const std::int64_t lease_s = book_.find(id)->lease;
    [[maybe_unused]] const auto ended = queue_->ended(id, this->now_s());
    assert(ended);
    settle(id, "lost", 0, fmt::format("its executor was silent for {} seconds", lease_s));
  }
  return queue_->advance(now_s);
}

bool LiveJobs::work() {
  Turn turn(setup_.turn);
  if (!queue_->work(turn.slice)) return false;
  answering_ = answering_ && !answers_->work(turn.slice);
  return !answering_;
}

std::optional<std::int64_t> LiveJobs::next_time() const {
  if (!leases_begun_) return now_s();
  std::optional<std::int64_t> out = queue_->next_time();
  if (!leases_.empty()) out = std::min(out.value_or(INT64_MAX), leases_.begin()->first);
  return out;
}

void LiveJobs::begin_lease(JobId id, std::int64_t from_s) {
  end_lease(id);
  const std::int64_t lease_s = book_.find(id)->lease;
  if (lease_s == 0) return;
  const std::int64_t end_s = lease_s < INT64_MAX - from_s ? from_s + lease_s : INT64_MAX;
  leases_.emplace(end_s, id);
  lease_ends_.emplace(id, end_s);
}

void LiveJobs::end_lease(JobId id) {
  const auto at = lease_ends_.find(id);
  if (at == lease_ends_.end()) return;
  leases_.erase({at->second, id});
  lease_ends_.erase(at);
}

// --- What becomes of jobs

void LiveJobs::started(JobId id, const Grant& grant) {
  BesideEvent beside;
  session_->append_r(grant, book_.find(id)->queue, beside.r);
  if (!grant.draw.empty()) beside.layers = session_->engine().draw_text(grant.draw);
  const auto starts = [&grant](JobRow& row) {
    row.stage = JobStage::running;
    row.planned = -1;
    row.started = grant.start;
  };
  book_.change(id, "start", now_s(), starts, beside);
  begin_lease(id, now_s());
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

void LiveJobs::denied(JobId id, const Error& error) {
  if (coming_ != nullptr && coming_->id == id) {
    refused_ = error;
    return;
  }
  settle(id, "denied", 0, error.message());
}

void LiveJobs::settle(JobId id, std::string_view result, std::int64_t status,
                      std::string_view message) {
  end_lease(id);
  book_.change(id, "end", now_s(), [&, now = now_s()](JobRow& row) {
    row.stage = JobStage::ended;
    row.planned = -1;
    row.held = false;
    row.ended = now;
    row.result = result;
    row.status = status;
    row.message = message;
  });
}

// --- Lines

Result<void> LiveJobs::run(const SessionLine& line, JobCaller& caller, std::string& out) {
  switch (line.op) {
    case Op::submit: return submit(line, caller, out);
    case Op::jobs: return list_jobs(book_, line, out);
    case Op::queue: list_queues(*queue_, out); return {};
    case Op::watch: return watch(line, caller, out);
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
  if (book_.find(id) != nullptr) return id;
  return fail(ErrorCode::not_found, fmt::format("there is no job {}", id));
}

Result<JobRow> LiveJobs::row_of(const SessionLine& line, const JobCaller& caller) const {
  if (line.jobspec.empty() == !line.shape) {
    return fail(ErrorCode::invalid, "there is either \"shape\" or \"jobspec\"");
  }
  if (!line.jobspec.empty() && (line.duration_s || !line.constraints.empty())) {
    return fail(ErrorCode::invalid,
                "\"jobspec\" has a duration and constraints of its own: leave these out");
  }
  JobRow row;
  row.id = line.id ? static_cast<JobId>(*line.id) : book_.next_id();
  while (!line.id && session_->engine().grant(row.id) != nullptr) ++row.id;
  row.name = line.name.value_or("");
  row.user = caller.user.empty() ? std::string(line.user.value_or("")) : caller.user;
  row.queue = line.queue.value_or("");
  row.shape = line.shape.value_or("");
  row.hres = line.hres.value_or("");
  row.constraints = in_one_line(line.constraints);
  row.jobspec = in_one_line(line.jobspec);
  row.priority = line.priority.value_or(0);
  row.submitted = now_s();
  row.duration = line.duration_s.value_or(0);
  row.lease = line.lease_s.value_or(0);
  row.held = line.held.value_or(false);
  row.arrival = static_cast<std::int64_t>(book_.events().next()) + 1;
  return row;
}

Result<void> LiveJobs::submit(const SessionLine& line, const JobCaller& caller, std::string& out) {
  auto row = row_of(line, caller);
  if (!row) return std::unexpected(row.error());
  if (book_.find(row->id) != nullptr) {
    return fail(ErrorCode::exists, fmt::format("there is a job {} already", row->id));
  }
  if (book_.active() >= setup_.active_max) {
    return fail(ErrorCode::insufficient,
                fmt::format("there are {} jobs, as many as may be", setup_.active_max));
  }
  const auto request = request_of(*row);
  if (!request) return std::unexpected(request.error());
  if (!row->jobspec.empty()) row->duration = request->duration_s;
  if (!setup_.limits.empty()) {
    const auto broken = setup_.limits.broken(
        row->queue, queue::size_of(*request, session_->engine().graph()), row->duration);
    if (!broken.empty()) return fail(ErrorCode::invalid, broken);
  }
  coming_ = &*row;
  refused_.reset();
  const auto done = queue_->submit(submission_of(*row, kind_of(*row), *request));
  coming_ = nullptr;
  if (!done) return done;
  if (refused_) return std::unexpected(*std::exchange(refused_, {}));
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
  if (row.stage == JobStage::ended) {
    return fail(ErrorCode::invalid, fmt::format("job {} has ended", id));
  }
  if (row.stage == JobStage::running) {
    if (!row.stopping) book_.change(id, "stop", now_s(), [](JobRow& job) { job.stopping = true; });
    return {};
  }
  if (auto ok = queue_->cancel(id); !ok) return ok;
  settle(id, "cancelled", 0, "");
  return {};
}

Result<void> LiveJobs::end(JobId id, const SessionLine& line) {
  if (auto ok = queue_->ended(id, now_s()); !ok) return ok;
  settle(id, book_.find(id)->stopping ? "cancelled" : "done", line.status.value_or(0), "");
  return {};
}

Result<void> LiveJobs::end_ranks(JobId id, const SessionLine& line) {
  const Engine& engine = session_->engine();
  const auto pools = pools_to_give_back(engine.graph(), engine.grant(id), *line.id, *line.ranks);
  if (!pools) return std::unexpected(pools.error());
  const auto over = queue_->ended_part(id, *pools);
  if (!over) return std::unexpected(over.error());
  if (*over) {
    settle(id, book_.find(id)->stopping ? "cancelled" : "done", line.status.value_or(0), "");
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
  begin_lease(id, now_s());
  return {};
}

Result<void> LiveJobs::why(JobId id, const SessionLine& line, std::string& out) {
  if (book_.find(id)->stage == JobStage::ended) {
    return fail(ErrorCode::invalid, fmt::format("job {} has ended", id));
  }
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
  return queue_->grant_beside(operation, request, id);
}
Result<void> LiveJobs::free(JobId id) { return queue_->free_beside(id); }
Result<void> LiveJobs::free(JobId id, std::span<const PoolId> pools) {
  const auto gone = queue_->free_beside(id, pools);
  if (!gone) return std::unexpected(gone.error());
  return {};
}
void LiveJobs::set_status(std::span<const PoolId> pools, Status status) {
  queue_->set_status(pools, status);
}
void LiveJobs::layers_changed() { queue_->layers_changed(); }

}  // namespace copse::server
