// SPDX-License-Identifier: Apache-2.0
#include "session/session.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "formats/jgf/jgf_set.hpp"
#include "formats/jgf/jgf_subtrees.hpp"
#include "formats/named_pools.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "save/bytes.hpp"
#include "session/grant_operations.hpp"
#include "session/grant_text.hpp"
#include "session/layers.hpp"
#include "session/protocol/request_reader.hpp"
#include "session/ranks.hpp"
#include "session/request_cache.hpp"
#include "session/status/machine_status_text.hpp"
#include "text/json_writer.hpp"

namespace copse {

namespace {

// --- attach, remove: pools that come and go while jobs run

// Adds the pools of the JGF that the machine does not have yet. They are in the layers that name them.
// `jobs`: nullptr: the session has no JobHost. Errors: those of read_jgf_set, subtrees_of and
// Engine::attach.
Result<void> attach_pools(Engine& engine, JobHost* jobs, const SessionRequest& line) {
  if (line.jgf.empty()) return missing("jgf");
  const auto set = read_jgf_set(line.jgf, "jgf");
  if (!set) return std::unexpected(set.error());
  const auto subtrees = subtrees_of(engine.graph(), engine.names(), *set);
  if (!subtrees) return std::unexpected(subtrees.error());
  return jobs != nullptr ? jobs->attach(*subtrees) : engine.attach(*subtrees);
}

// Removes nodes, or other pools with all below them, and appends the answer: the jobs that lost
// resources. Errors: as those of Engine::remove; not_found (a node or a rank).
Result<void> remove_pools(Engine& engine, JobHost* jobs, const SessionRequest& line,
                          std::string& out) {
  if (line.nodes.has_value() == line.ranks.has_value()) {
    return fail(ErrorCode::invalid, "name what to remove by either \"nodes\" or \"ranks\"");
  }
  const auto tops = line.ranks ? tops_of_text(engine.graph(), *line.ranks)
                               : named_pools(engine.graph(), std::string(*line.nodes), "\"nodes\"");
  if (!tops) return std::unexpected(tops.error());
  const auto lost = jobs != nullptr ? jobs->remove(*tops) : engine.remove(*tops);
  if (!lost) return std::unexpected(lost.error());
  JsonWriter json(out);
  json.object(
      [&] { json.array("jobs", *lost, [&](JobId job) { json.value(Session::id_of(job)); }); });
  return {};
}

// --- Saves

// The text that a session stores in a save, next to the engine: the form of R, and TreePool's
// scheduling key.
std::string host_text(const SessionOptions& options) {
  std::string scheduling;
  if (options.scheduling) {
    JsonWriter json(scheduling);
    write_scheduling(json, *options.scheduling);
  }
  ByteWriter out;
  out.number(static_cast<unsigned>(options.format));
  out.text(scheduling);
  return out.take();
}

// Applies it to the options; "" (a save of another host) changes nothing. Errors: invalid.
Result<void> read_host_text(std::string_view text, SessionOptions& options) {
  if (text.empty()) return {};
  auto broken = [] {
    return fail(ErrorCode::invalid, "the save is of another program than copse session");
  };
  ByteReader in(text);
  const auto format = in.below<unsigned>(static_cast<unsigned>(Format::rv1_shorthand));
  const std::string_view key = in.text();
  if (!in.ok() || !in.at_end()) return broken();
  std::optional<RScheduling> scheduling;
  if (!key.empty()) {
    auto read = read_scheduling(key, "save");
    if (!read) return std::unexpected(read.error());
    if (!read->treepool) return broken();
    scheduling = std::move(*read);
  }
  options.format = static_cast<Format>(format);
  options.scheduling = std::move(scheduling);
  return {};
}

// --- Requests

using Op = SessionRequest::Op;

std::unexpected<Error> invalid(std::string text) {
  return fail(ErrorCode::invalid, std::move(text));
}

}  // namespace

struct Session::Impl {
  std::unique_ptr<Engine> engine;
  SessionOptions options;
  SessionRequestReader reader;
  SessionRequestCache requests{};
  SessionHistory history;
  std::string host;  // stored in saves, next to the engine
  GrantText grant_text;
  SessionAnswer answer{};  // scratch
  bool lost = false;       // effects could not be written
  struct KnownStatus {
    std::uint64_t changes;  // SessionHistory::changes(), and those of drains
    MachineStatus status;
    std::string json;
  };
  std::optional<KnownStatus> known{};  // of the last state that was asked for

  Impl(std::unique_ptr<Engine> engine_in, SessionOptions options_in)
      : engine(std::move(engine_in)),
        options(std::move(options_in)),
        reader(options.limits, options.environment.jobs != nullptr),
        history(options.environment),
        grant_text(Format::rv1, nullptr) {
    if (options.environment.shared) bound_requests();
    apply_options();
    history.observe(*engine, host);
  }

  // Other clients wait while a request is compiled and searched for.
  void bound_requests() {
    constexpr std::size_t kHosts = 10'000;
    constexpr std::uint32_t kResources = 256, kEvents = 20'000;
    constexpr std::size_t kTextBytes = std::size_t{1} << 20;
    options.limits.request.text_bytes_max = kTextBytes;
    const ResourceGraph& graph = engine->graph();
    const TypeId node = graph.find_type("node");
    std::size_t nodes = 0;
    for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
      nodes += graph.type(PoolId{v}) == node ? 1 : 0;
    }
    options.limits.request.hosts_max = std::max(kHosts, 2 * nodes);
    options.limits.request.resources_max = kResources;
    options.limits.request.events_max = kEvents;
    requests.set_limits(options.limits.request);
  }

  void apply_options() {
    host = host_text(options);
    grant_text = GrantText(options.format, options.scheduling ? &*options.scheduling : nullptr);
  }

  [[nodiscard]] JobHost* jobs() const { return options.environment.jobs; }
  [[nodiscard]] GrantOperations grants() { return {*engine, requests, grant_text, jobs()}; }

  Result<void> run(const SessionRequest& line, const JobCaller& caller, SessionAnswer& to) {
    Result<void> done;
    std::string& out = to.body;
    const SessionOperation& operation = operation_of(line.op);
    if (operation.needs_disk && options.environment.has_disk_space &&
        !options.environment.has_disk_space()) {
      return fail(ErrorCode::insufficient,
                  "the disk of the service is nearly full: only requests that release resources "
                  "are accepted until the operator frees space");
    }
    if (options.environment.shared && operation.exclusive) {
      return invalid("a service does not support this operation: its clients share one session");
    }
    if (is_job_operation(line.op)) return jobs()->run(line, caller, to);
    switch (line.op) {
      case Op::alloc:
        return grants().grant(line, Operation::allocate_with_satisfiability, caller, to);
      case Op::reserve: return grants().grant(line, Operation::allocate_orelse_reserve, caller, to);
      case Op::info: return grants().info(line, caller, out);
      case Op::explain: return grants().explain(line, caller, out);
      case Op::status: out += status().json; return {};
      case Op::satisfy: done = grants().satisfy(line); break;
      case Op::free: done = line.ranks ? grants().free_ranks(line) : grants().free(line); break;
      case Op::now: done = line.t ? engine->advance(*line.t) : missing("t"); break;
      case Op::down: done = set_status(line, Status::down, caller); break;
      case Op::up: done = set_status(line, Status::up, caller); break;
      case Op::quit: to.last = true; break;
      case Op::layers: return list_layers(*engine, line, out);
      case Op::set_layer:
      case Op::set_layer_nodes:
      case Op::add_layer:
      case Op::remove_layer: done = layers_changed(change_layer(*engine, line)); break;
      case Op::reserve_layer: done = layers_changed(reserve_layer(line)); break;
      case Op::save: return save(line, out);
      case Op::restore: done = restore(line); break;
      case Op::begin: done = history.begin(*engine); break;
      case Op::rollback: done = rollback(); break;
      case Op::commit: done = history.commit(); break;
      case Op::attach: done = resized(attach_pools(*engine, jobs(), line)); break;
      case Op::remove: return resized(remove_pools(*engine, jobs(), line, out));
      case Op::free_layer: done = layers_changed(free_layers(*engine, line)); break;
      default: break;  // answered by JobHost
    }
    if (done) out += "{}";
    return done;
  }

  // The engine of a shared session is never replaced, and reports each change.
  const KnownStatus& status() {
    const std::uint64_t changes =
        history.changes() + (jobs() == nullptr ? 0 : jobs()->drain_changes());
    if (!known || !options.environment.shared || known->changes != changes) {
      const IsDrained drained = jobs() == nullptr ? IsDrained() : [this](PoolId node) {
        return jobs()->is_drained(node);
      };
      const DownReason reason = jobs() == nullptr ? DownReason() : [this](PoolId node) {
        return jobs()->down_reason(node);
      };
      known = {.changes = changes, .status = status_of(*engine, drained, reason), .json = {}};
      append_status_json(known->json, known->status);
    }
    return *known;
  }

  Result<void> layers_changed(Result<void> done) {
    if (done && jobs() != nullptr) jobs()->layers_changed();
    return done;
  }

  // Pools may have other numbers: requests are compiled again.
  Result<void> resized(Result<void> done) {
    if (!done) return done;
    requests = {};
    requests.set_limits(options.limits.request);
    return done;
  }

  // Answers with the fingerprint, which identifies the state.
  Result<void> save(const SessionRequest& line, std::string& out) {
    if (!line.file) return missing("file");
    if (line.file->find('\0') != std::string_view::npos) return invalid("\"file\" has a NUL in it");
    if (auto ok = history.save_to(*engine, host, std::string(*line.file)); !ok) return ok;
    out += fmt::format("{{\"fingerprint\": \"{:016x}\"}}", engine->fingerprint());
    return {};
  }

  Result<void> restore(const SessionRequest& line) {
    if (!line.file) return missing("file");
    if (history.in_transaction())
      return invalid("a begin is open: commit or roll back before restore");
    auto loaded = history.load_from(std::string(*line.file));
    if (!loaded) return std::unexpected(loaded.error());
    if (auto ok = read_host_text(loaded->host, options); !ok) return ok;
    requests = {};  // compiled for the previous engine
    engine = std::move(loaded->engine);
    apply_options();
    history.observe(*engine, host);
    return {};
  }

  Result<void> rollback() {
    auto before = history.rollback();
    if (!before) return std::unexpected(before.error());
    requests = {};
    engine = std::move(*before);
    return {};
  }

  Result<void> reserve_layer(const SessionRequest& line) {
    if (!line.has_jobs) return missing("for");
    std::vector<JobId> jobs;
    jobs.reserve(line.jobs.size());
    for (const std::int64_t id : line.jobs) jobs.push_back(job_of_id(id));
    return copse::reserve_layer(*engine, line, std::move(jobs));
  }

  Result<void> set_status(const SessionRequest& line, Status status, const JobCaller& caller) {
    if (jobs() != nullptr) return jobs()->set_nodes(line, caller, status);
    if (line.nodes) return invalid("\"nodes\" is for a service: give \"ranks\"");
    if (!line.ranks) return missing("ranks");
    const auto tops = tops_of_text(engine->graph(), *line.ranks);
    if (!tops) return std::unexpected(tops.error());
    for (const PoolId p : *tops) engine->set_status(p, status);
    return {};
  }
};

Session::Session(std::unique_ptr<Engine> engine, SessionOptions options)
    : impl_(new Impl(std::move(engine), std::move(options))) {}
Session::Session(Session&&) noexcept = default;
Session::~Session() = default;

const Engine& Session::engine() const { return *impl_->engine; }
const MachineStatus& Session::status() { return impl_->status().status; }
std::string Session::save() const { return copse::save(*impl_->engine, impl_->host); }
std::function<std::string()> Session::snapshot_writer() const {
  std::shared_ptr<const Engine> kept = impl_->engine->clone();
  return [kept = std::move(kept), host = impl_->host] { return copse::save(*kept, host); };
}
void Session::append_grant(JobId job, std::string& out) {
  impl_->grant_text.append_granted(*impl_->engine, id_of_job(job),
                                   AllocationView::of(*impl_->engine->grant(job)), {}, out);
}
Session Session::what_if(SessionEnvironment environment) const {
  SessionOptions options = impl_->options;
  options.environment = std::move(environment);
  return {impl_->engine->clone(), std::move(options)};
}
JobId Session::job_of(std::int64_t id) { return job_of_id(id); }
std::int64_t Session::id_of(JobId job) { return id_of_job(job); }
bool Session::effects_lost() const { return impl_->lost; }
const SessionRequestLimits& Session::limits() const { return impl_->options.limits; }

Engine& Session::mutable_engine() { return *impl_->engine; }
Result<void> Session::flush_effects(bool clock) { return impl_->history.flush(clock); }
void Session::append_r(const Grant& grant, std::string_view queue, std::string& out) {
  impl_->grant_text.append_r(*impl_->engine, AllocationView::of(grant), queue, out);
}

bool Session::answer(std::string_view line, std::string& out, std::size_t readable_past) {
  SessionAnswer& made = impl_->answer;
  const auto request = read(line, readable_past);
  if (request) {
    answer(*request, {}, made);
  } else {
    made.refuse(request.error());
  }
  append_line(out, made);
  return !made.last;
}

Result<SessionRequest> Session::read(std::string_view line, std::size_t readable_past) {
  return impl_->reader.read(line, readable_past);
}

void Session::answer(const SessionRequest& request, const JobCaller& caller,
                     SessionAnswer& answer) {
  answer.clear();
  auto done = impl_->run(request, caller, answer);
  if (auto flushed = impl_->history.flush(); !flushed) {  // no change may be acknowledged any more
    done = std::unexpected(flushed.error());
    impl_->lost = true;
  }
  if (!done) answer.refuse(std::move(done.error()));
  answer.last = answer.last || impl_->lost;
}

Error Session::long_line(std::size_t bytes_max) {
  return {ErrorCode::invalid, fmt::format("the line has more than {} bytes", bytes_max), {}};
}

Result<void> Session::advance(std::int64_t now_s) {
  if (now_s <= impl_->engine->options().now) return {};
  if (auto ok = impl_->engine->advance(now_s); !ok) return ok;
  return impl_->history.flush();
}

Result<void> Session::apply(std::string_view record) {
  auto reader = EffectReader::of_record(record);
  for (;;) {
    const auto next = reader.next();
    if (!next) return std::unexpected(next.error());
    if (!*next) break;
    const auto* effect = std::get_if<Effect>(&**next);
    if (effect == nullptr) return fail(ErrorCode::invalid, "a record has effects, not a state");
    if (auto done = impl_->engine->apply(*effect); !done) return done;
  }
  impl_->history.discard();
  return {};
}

Result<Session> session_of_save(std::string_view bytes, SessionEnvironment environment) {
  auto loaded = load(bytes, environment.extra_policies);
  if (!loaded) return std::unexpected(loaded.error());
  SessionOptions options;
  options.environment = std::move(environment);
  if (auto ok = read_host_text(loaded->host, options); !ok) return std::unexpected(ok.error());
  return Session(std::move(loaded->engine), std::move(options));
}

}  // namespace copse
