// SPDX-License-Identifier: Apache-2.0
#include "server/service.hpp"

#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "server/jobs/job_journal.hpp"
#include "session/ranks.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kNodesNamedMax = 100'000;  // in the audit

}  // namespace

Result<std::unique_ptr<Service>> Service::recover(journal::Store& store, Start start) {
  std::unique_ptr<Service> out(new Service(std::move(start)));
  if (auto ok = out->load(store); !ok) return std::unexpected(ok.error());
  return out;
}

SessionOutside Service::outside() {
  SessionOutside out;
  out.keep_record = [this](std::string effects) {
    assert(effects_.empty());
    effects_ = std::move(effects);
  };
  out.room = [this] { return room(); };
  out.forbids = [this](const SessionLine& line) {
    return asking_ == nullptr ? std::string() : gate_.forbids(*asking_, line);
  };
  out.shared = true;
  out.jobs = &jobs_;
  out.own = start_.own;
  return out;
}

Result<void> Service::load_state(std::string_view state) {
  const auto parts = split_parts(state);
  if (!parts) return std::unexpected(parts.error());
  if (auto done = jobs_.book().load(parts->lines, start_.jobs.user_of); !done) return done;
  jobs_.reservations().book() = {};
  if (auto done = jobs_.reservations().book().apply(parts->reservations); !done) return done;
  jobs_.drains().book() = {};
  if (auto done = jobs_.drains().book().apply(parts->drains); !done) return done;
  clients_ = {};
  if (auto done = clients_.apply(parts->clients, start_.jobs.user_of); !done) return done;
  auto session = session_of_save(parts->engine, outside());
  if (!session) return std::unexpected(session.error());
  session_ = std::make_unique<Session>(std::move(*session));
  return {};
}

Result<void> Service::apply(journal::Sequence number, std::string_view record) {
  if (session_ == nullptr) return fail(ErrorCode::invalid, "there is no state to start from");
  const auto parts = split_parts(record);
  auto done = parts ? jobs_.book().apply(parts->lines, number, start_.jobs.user_of)
                    : Result<void>(std::unexpected(parts.error()));
  if (done) done = clients_.apply(parts->clients, start_.jobs.user_of);
  if (done) done = jobs_.reservations().book().apply(parts->reservations);
  if (done) done = jobs_.drains().book().apply(parts->drains);
  if (done) done = session_->apply(parts->engine);
  if (done) return {};
  return fail(done.error().code,
              fmt::format("record {} can't be applied: {}", number, done.error().message()));
}

// One that is missing makes those before it of no use.
void Service::note_recent(journal::Sequence number, std::string_view record) {
  if (number != recent_end_) {
    recent_.clear();
    recent_bytes_ = 0;
  }
  recent_end_ = number + 1;
  recent_bytes_ += record.size();
  recent_.emplace_back(record);
  while (recent_.size() > start_.recent_records || recent_bytes_ > start_.recent_bytes) {
    recent_bytes_ -= recent_.front().size();
    recent_.pop_front();
    if (recent_.empty()) break;
  }
}

Result<void> Service::load(journal::Store& store) {
  const auto next = store.load(
      {.state = [this](journal::Sequence, std::string_view state) -> Result<void> {
         return load_state(state);
       },
       .record = [this](journal::Sequence number, std::string_view record) -> Result<void> {
         jobs_.book().end_recall();
         note_recent(number, record);
         return apply(number, record);
       },
       .earlier =
           [this](journal::Sequence number, std::string_view record) {
             note_recent(number, record);
             const auto parts = split_parts(record);
             if (parts) jobs_.book().recall(parts->lines, number);
           }});
  if (!next) return std::unexpected(next.error());
  next_ = *next;
  jobs_.book().end_recall();
  if (recent_end_ != next_) recent_.clear();
  recovered_ = session_ != nullptr;
  if (recovered_) return begin_jobs();
  auto session = start_.fresh(outside());
  if (!session) return std::unexpected(session.error());
  session_ = std::make_unique<Session>(std::move(*session));
  // Before any record: records without a state to start from could not be recovered.
  if (auto ok = store.snapshot(next_, saver()()); !ok) return ok;
  return begin_jobs();
}

Result<void> Service::begin_jobs() {
  const Engine& engine = session_->engine();
  for (const JobId job : engine.jobs()) {
    const auto* taken = clients_.find_grant(Session::id_of(job));
    if (taken != nullptr) planned_.add(taken->owner, job, engine);
  }
  jobs_.admit_reservations([this]() -> Result<void> {
    if (asking_ == nullptr || may(asking_->role, Action::give_any)) return {};
    return planned_.admit(asking_->name, session_->engine());
  });
  return jobs_.begin(*session_);
}

std::function<std::string()> Service::saver() const {
  return
      [jobs = jobs_.book().saver(), engine = session_->saver(),
       clients = clients_.state(session_->engine()),
       reservations = jobs_.reservations().book().state(), drains = jobs_.drains().book().state()] {
        return join_parts({.lines = jobs(),
                           .engine = engine(),
                           .clients = clients,
                           .reservations = reservations,
                           .drains = drains});
      };
}

const JobRow* Service::job(std::int64_t id) const { return jobs_.book().find(Session::job_of(id)); }

std::string Service::nodes_of(std::string_view ranks) const {
  const ResourceGraph& graph = session_->engine().graph();
  const auto tops = tops_of_text(graph, ranks);
  std::vector<std::string> names;
  if (!tops || tops->size() > kNodesNamedMax) return {};
  for (const PoolId top : *tops) names.push_back(graph.name(top));
  return compress_hostlist(names);
}

// Lines have times: the clock is to be as far when they are read again.
void Service::keep(bool clock) {
  const std::string lines = jobs_.book().take_lines(), clients = clients_.take_lines();
  const std::string reservations = jobs_.reservations().book().take_lines();
  const std::string drains = jobs_.drains().book().take_lines();
  const bool timed = clock || !lines.empty() || !reservations.empty() || !drains.empty();
  [[maybe_unused]] const auto settled = session_->settle(effects_.empty() && timed);
  assert(settled);
  if (lines.empty() && reservations.empty() && drains.empty() && effects_.empty()) return;
  assert(journal_ != nullptr);
  const std::string effects = std::exchange(effects_, {});
  std::string record = join_parts({.lines = lines,
                                   .engine = effects,
                                   .clients = clients,
                                   .reservations = reservations,
                                   .drains = drains});
  bytes_since_ += record.size();
  ++records_since_;
  const journal::Sequence number = journal_->append(std::move(record));
  assert(number == next_);
  jobs_.book().kept_in(number);
  next_ = number + 1;
}

void Service::snapshot() {
  keep();
  journal_->snapshot(saver());
  records_since_ = bytes_since_ = 0;
}

void Service::advance(std::int64_t now_s) {
  // What time alone has changed is a change, and waits for the disk; the clock alone is none.
  const bool due = jobs_.is_due(now_s);
  // A clock beyond the horizon: the session says what it can still do.
  [[maybe_unused]] const auto advanced = jobs_.advance(now_s);
  keep(due);
  if (records_since_ >= start_.snapshot_records || bytes_since_ >= start_.snapshot_bytes) {
    snapshot();
  }
}

void Service::remember(const Who& who, const Asked& asked, std::string_view answer) {
  const Engine& engine = session_->engine();
  if (const auto id = gate_.grant_asked_for()) {
    clients_.take_grant(*id, {who.name, asked.digest}, engine);
    planned_.add(who.name, Session::job_of(*id), engine);
  }
  if (!asked.key.empty()) {
    clients_.keep_answer(who.name, asked.key, {asked.digest, std::string(answer), engine.now()});
  }
}

Service::Answer Service::answer(std::string_view line, std::int64_t now_s,
                                std::size_t readable_past, const Who& who, const Asked& asked) {
  Answer out;
  // Who may say for whom a job is, may; others submit their own.
  JobCaller caller;
  caller.operates = may(who.role, Action::give_any);
  if (!caller.operates) caller.user = who.name;
  caller.name = who.name;
  advance(now_s);
  asking_ = &who;
  out.last = !session_->answer(line, caller, out.text, readable_past);
  asking_ = nullptr;
  const bool changed = !effects_.empty() || jobs_.book().changed() ||
                       jobs_.reservations().book().changed() || jobs_.drains().book().changed();
  if (changed) remember(who, asked, out.text);
  const auto audit = gate_.answered(who, changed, out.text);
  keep();
  if (audit && audit->result == "done") trail_.changed(*audit);
  if (audit && audit->result != "done") trail_.refused(*audit, now_s);
  out.needs = next_;
  out.watch = caller.watch;
  out.refused = caller.refused;
  if (records_since_ >= start_.snapshot_records || bytes_since_ >= start_.snapshot_bytes) {
    snapshot();
  }
  return out;
}

// Where nothing is due, the clock waits for the next request.
bool Service::work(std::int64_t now_s) {
  if (!jobs_.knows_time() || jobs_.is_due(now_s)) advance(now_s);
  if (!room()) return true;  // a start needs space
  const bool done = jobs_.work();
  keep();
  return done;
}

Service::Answer Service::refuse_long_line(std::size_t bytes_max) const {
  Answer out;
  Session::refuse_long_line(bytes_max, out.text);
  out.needs = next_;
  return out;
}

}  // namespace copse::server
