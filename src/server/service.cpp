// SPDX-License-Identifier: Apache-2.0
#include "server/service.hpp"

#include <cassert>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/job_id.hpp"
#include "server/clock_back.hpp"
#include "server/jobs/journal_parts.hpp"
#include "session/ranks.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kNodesNamedMax = 100'000;  // in the audit log

}  // namespace

Result<std::unique_ptr<Service>> Service::recover(journal::Store& store, Options options) {
  std::unique_ptr<Service> out(new Service(std::move(options)));
  if (auto ok = out->load(store); !ok) return std::unexpected(ok.error());
  return out;
}

SessionEnvironment Service::environment() {
  SessionEnvironment out;
  out.keep_record = [this](std::string effects) {
    assert(effects_.empty());
    effects_ = std::move(effects);
  };
  out.has_disk_space = [this] { return has_disk_space(); };
  out.shared = true;
  out.jobs = &jobs_;
  out.extra_policies = options_.extra_policies;
  return out;
}

Result<void> Service::load_state(std::string_view state) {
  const auto parts = split_parts(state);
  if (!parts) return std::unexpected(parts.error());
  if (auto done = jobs_.table().load(parts->jobs, options_.jobs.user_of); !done) return done;
  jobs_.reservations().table() = {};
  if (auto done = jobs_.reservations().table().apply(parts->reservations); !done) return done;
  jobs_.drains().table() = {};
  if (auto done = jobs_.drains().table().apply(parts->drains); !done) return done;
  jobs_.usage() = {};
  if (auto done = jobs_.usage().apply(parts->usage, options_.jobs.user_of); !done) return done;
  clients_ = {};
  if (auto done = apply_clients(parts->clients); !done) return done;
  auto session = session_of_save(parts->engine, environment());
  if (!session) return std::unexpected(session.error());
  session_ = std::make_unique<Session>(std::move(*session));
  return {};
}

Result<void> Service::apply_clients(std::string_view lines) {
  return clients_.apply(lines, options_.jobs.user_of, [this](std::int64_t id) {
    jobs_.table().add_used_id(Session::job_of(id));
  });
}

Result<void> Service::apply(journal::Sequence number, std::string_view record) {
  if (session_ == nullptr) return fail(ErrorCode::invalid, "there is no state to apply records to");
  const auto parts = split_parts(record);
  auto done = parts ? jobs_.table().apply(parts->jobs, number, options_.jobs.user_of)
                    : Result<void>(std::unexpected(parts.error()));
  if (done) done = apply_clients(parts->clients);
  if (done) done = jobs_.reservations().table().apply(parts->reservations);
  if (done) done = jobs_.drains().table().apply(parts->drains);
  if (done) done = jobs_.usage().apply(parts->usage, options_.jobs.user_of);
  if (done) done = session_->apply(parts->engine);
  if (done) return {};
  return fail(done.error().code,
              fmt::format("record {} can't be applied: {}", number, done.error().message()));
}

// Only a suffix without gaps is useful.
void Service::add_recent_record(journal::Sequence number, std::string_view record) {
  if (number != recent_end_) {
    recent_.clear();
    recent_bytes_ = 0;
  }
  recent_end_ = number + 1;
  recent_bytes_ += record.size();
  recent_.emplace_back(record);
  while (recent_.size() > options_.recent_records || recent_bytes_ > options_.recent_bytes) {
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
         jobs_.table().finish_earlier_events();
         add_recent_record(number, record);
         return apply(number, record);
       },
       .earlier =
           [this](journal::Sequence number, std::string_view record) {
             add_recent_record(number, record);
             const auto parts = split_parts(record);
             if (parts) jobs_.table().add_earlier_events(parts->jobs, number);
           },
       .damage = options_.damage});
  if (!next) return std::unexpected(next.error());
  next_ = *next;
  jobs_.table().finish_earlier_events();
  if (recent_end_ != next_) recent_.clear();
  recovered_ = session_ != nullptr;
  if (recovered_ && options_.clock_back_to_s) {
    if (auto ok = set_clock_back(store, *options_.clock_back_to_s); !ok) return ok;
  }
  incarnation_ = store.incarnation();
  jobs_.set_incarnation(incarnation_);
  if (recovered_) return begin_jobs();
  auto session = options_.make_session(environment());
  if (!session) return std::unexpected(session.error());
  session_ = std::make_unique<Session>(std::move(*session));
  note_used_ids();
  // A state is stored before any record: records alone could not be recovered.
  if (auto ok = store.snapshot(next_, saver()()); !ok) return ok;
  return begin_jobs();
}

// Grants that the session began with, too: no job may get their ids.
void Service::note_used_ids() {
  for (const JobId job : session_->engine().jobs()) jobs_.table().add_used_id(job);
}

// The records since the last state have the times of the old clock.
Result<void> Service::set_clock_back(journal::Store& store, std::int64_t to_s) {
  if (session_->engine().now() <= to_s) return {};
  const auto state = with_clock_back(saver()(), to_s, options_.extra_policies);
  if (!state) return std::unexpected(state.error());
  if (auto ok = load_state(*state); !ok) return ok;
  jobs_.table().finish_earlier_events();
  recent_.clear();
  return store.replace(next_, *state);
}

Result<void> Service::begin_jobs() {
  note_used_ids();
  const Engine& engine = session_->engine();
  for (const JobId job : engine.jobs()) {
    const auto* record = clients_.find_grant(Session::id_of(job));
    if (record != nullptr) planned_.add(record->owner, job, engine);
  }
  jobs_.set_owner_of_grant([this](JobId job) { return owner(Session::id_of(job)); });
  jobs_.set_reservation_admission([this]() -> Result<void> {
    if (caller_ == nullptr || may(caller_->role, Permission::release_any)) return {};
    return planned_.admit(caller_->name, session_->engine());
  });
  return jobs_.begin(*session_);
}

std::function<std::string()> Service::saver() const {
  return [jobs = jobs_.table().saver(), engine = session_->snapshot_writer(),
          clients = clients_.state(session_->engine()),
          reservations = jobs_.reservations().table().state(),
          drains = jobs_.drains().table().state(), usage = jobs_.usage().state()] {
    return join_parts({.jobs = jobs(),
                       .engine = engine(),
                       .clients = clients,
                       .reservations = reservations,
                       .drains = drains,
                       .usage = usage});
  };
}

const JobRow* Service::job(std::int64_t id) const {
  return jobs_.table().find(Session::job_of(id));
}

std::string Service::nodes_of(std::string_view ranks) const {
  const ResourceGraph& graph = session_->engine().graph();
  const auto tops = tops_of_text(graph, ranks);
  std::vector<std::string> names;
  if (!tops || tops->size() > kNodesNamedMax) return {};
  for (const PoolId top : *tops) names.push_back(graph.name(top));
  return compress_hostlist(names);
}

// Lines contain times: a replay needs the clock of that time.
void Service::write_record(bool clock) {
  const std::string lines = jobs_.table().take_lines(), clients = clients_.take_lines();
  const std::string reservations = jobs_.reservations().table().take_lines();
  const std::string drains = jobs_.drains().table().take_lines();
  const std::string usage = jobs_.take_usage_lines();  // new priorities alone are a change, too
  const bool timed =
      clock || !lines.empty() || !reservations.empty() || !drains.empty() || !usage.empty();
  [[maybe_unused]] const auto flushed = session_->flush_effects(effects_.empty() && timed);
  assert(flushed);
  if (lines.empty() && reservations.empty() && drains.empty() && usage.empty() &&
      effects_.empty()) {
    return;
  }
  assert(journal_ != nullptr);
  const std::string effects = std::exchange(effects_, {});
  std::string record = join_parts({.jobs = lines,
                                   .engine = effects,
                                   .clients = clients,
                                   .reservations = reservations,
                                   .drains = drains,
                                   .usage = usage});
  bytes_since_ += record.size();
  ++records_since_;
  const journal::Sequence number = journal_->append(std::move(record));
  assert(number == next_);
  jobs_.table().set_record(number);
  next_ = number + 1;
}

void Service::snapshot() {
  write_record();
  journal_->snapshot(saver());
  records_since_ = bytes_since_ = 0;
}

void Service::advance(std::int64_t now_s) {
  clock_s_ = now_s;
  // A change by time alone is a change, and must become durable; the advance of the clock alone is
  // not.
  const bool due = jobs_.is_due(now_s);
  // Beyond the horizon, the session reports what is still possible.
  [[maybe_unused]] const auto advanced = jobs_.advance(now_s);
  write_record(due);
  if (records_since_ >= options_.snapshot_records || bytes_since_ >= options_.snapshot_bytes) {
    snapshot();
  }
}

void Service::record_client(const Caller& caller, const RequestIdentity& identity,
                            const SessionRequest& request, const SessionAnswer& answer) {
  const Engine& engine = session_->engine();
  if (answer.id && !is_job_operation(request.op)) {
    jobs_.table().add_used_id(Session::job_of(*answer.id));
    clients_.record_grant(*answer.id, {caller.name, identity.digest}, engine);
    planned_.add(caller.name, Session::job_of(*answer.id), engine);
  }
  if (!identity.key.empty()) {
    clients_.record_answer(caller.name, identity.key,
                           {identity.digest, take_line(answer), engine.now()});
  }
}

Viewer Service::viewer_of(const Caller& caller) const {
  return {.sees_all = may(caller.role, Permission::release_any),
          .private_jobs = options_.jobs.private_jobs,
          .user = may(caller.role, Permission::release_own) ? caller.name : std::string()};
}

IsHidden Service::hidden_from(const Caller& caller) const {
  const Viewer viewer = viewer_of(caller);
  if (!viewer.misses_some()) return {};
  return [this, viewer](JobId id) {
    return !is_reservation(id) && visibility(viewer, id) == Visibility::hidden;
  };
}

bool Service::read_events(EventWatch& watch, journal::Sequence durable, std::size_t bytes_max,
                          const Caller& caller, std::string& out) const {
  const Viewer viewer = viewer_of(caller);
  return events().read(
      watch, durable, bytes_max,
      [&](std::uint64_t number) { return visibility_of_event(viewer, number); }, out);
}

bool Service::permits(Role role, Permission permission) const {
  const bool bounded = permission == Permission::allocate && options_.jobs.grants.stated;
  return may(role, bounded ? Permission::submit : permission);
}

Service::Answer Service::answer(std::string_view line, std::int64_t now_s,
                                std::size_t readable_past, const Caller& caller,
                                const RequestIdentity& identity) {
  return answer_for(line, now_s, readable_past, caller, identity, {});
}

Service::Answer Service::begin(std::string_view line, std::int64_t now_s, std::size_t readable_past,
                               const Caller& caller, const RequestIdentity& identity) {
  return answer_for(line, now_s, readable_past, caller, identity, {.in_steps = true});
}

bool Service::Work::step(std::int64_t now_s, Answer& out) {
  if (!work->step()) return false;
  out = service->answer_for(line, now_s, 0, caller, identity, {.in_steps = true, .work = work});
  return true;
}

Service::Answer Service::answer_for(std::string_view line, std::int64_t now_s,
                                    std::size_t readable_past, const Caller& caller,
                                    const RequestIdentity& identity, JobCaller job_caller) {
  Answer out;
  // Operators submit for any user; others for themselves.
  job_caller.is_operator = may(caller.role, Permission::release_any);
  if (!job_caller.is_operator) job_caller.user = caller.name;
  job_caller.name = caller.name;
  job_caller.viewer = viewer_of(caller);
  advance(now_s);
  const auto request = session_->read(line, readable_past);
  if (!request) {
    out.value.refuse(request.error());
  } else if (auto why = authorizer_.denial_reason(caller, *request); !why.empty()) {
    out.value.forbid(std::move(why));
  } else {
    caller_ = &caller;
    session_->answer(*request, job_caller, out.value);
    caller_ = nullptr;
  }
  if (out.value.work != nullptr) {  // it has changed nothing yet
    out.work = std::make_shared<Work>();
    out.work->service = this;
    out.work->line = line;
    out.work->caller = caller;
    out.work->identity = identity;
    out.work->work = std::exchange(out.value.work, nullptr);
    write_record();
    out.needs = next_;
    return out;
  }
  const bool changed = !effects_.empty() || jobs_.table().changed() ||
                       jobs_.reservations().table().changed() || jobs_.drains().table().changed();
  if (request && changed) record_client(caller, identity, *request, out.value);
  const auto audit = request ? authorizer_.audit_entry(caller, *request, changed, out.value)
                             : std::optional<Audit>();
  write_record();
  if (audit && audit->result == "done") trail_.record_change(*audit);
  if (audit && audit->result != "done") trail_.record_refusal(*audit, now_s);
  out.needs = next_;
  if (records_since_ >= options_.snapshot_records || bytes_since_ >= options_.snapshot_bytes) {
    snapshot();
  }
  return out;
}

// If nothing is due, the clock advances with the next request.
bool Service::work(std::int64_t now_s) {
  clock_s_ = now_s;
  if (!jobs_.has_time() || jobs_.is_due(now_s)) advance(now_s);
  if (!has_disk_space()) return true;  // a start writes a record
  const bool done = jobs_.work();
  write_record();
  return done;
}

void Service::expire_leases(std::int64_t now_s) {
  jobs_.expire_leases();
  advance(now_s);
}

Service::Answer Service::refuse_long_line(std::size_t bytes_max) const {
  Answer out;
  out.value.refuse(Session::long_line(bytes_max));
  out.needs = next_;
  return out;
}

}  // namespace copse::server
